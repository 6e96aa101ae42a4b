/* A fake vendor: answers the few requests a client makes and writes one file of traffic, as fast as the pipe takes it.
   BENCH_TRAFFIC is the file, BENCH_REPEAT how often it is written, BENCH_MODE `lines`, `headers` (Content-Length) or `exec`
   (all of stdin is the prompt). feeder.mjs is its twin, for machines without a compiler. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *traffic;
static size_t traffic_size;
static int has_headers;

static void put(const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(1, bytes, size);
    if (written < 0) exit(0);
    bytes += written;
    size -= (size_t)written;
  }
}

/* One message in one write, as a vendor does it: two would make some readers wake twice. */
static void say(const char *line) {
  char all[2048];
  int size = has_headers ? snprintf(all, sizeof all, "Content-Length: %zu\r\n\r\n%s", strlen(line), line)
                         : snprintf(all, sizeof all, "%s\n", line);
  put(all, (size_t)size);
}

static void flood(void) {
  const char *repeat = getenv("BENCH_REPEAT");
  for (int left = repeat ? atoi(repeat) : 1; left > 0; left -= 1) put(traffic, traffic_size);
}

/* The member's JSON value as it stands in the line, quotes included; `null` when there is none. */
static void member(const char *line, const char *name, char *value, size_t size) {
  const char *at = strstr(line, name);
  size_t length = 0;
  strcpy(value, "null");
  if (!at) return;
  at += strlen(name);
  length = *at == '"' ? strcspn(at + 1, "\"") + 2 : strcspn(at, ",}");
  if (length >= size) return;
  memcpy(value, at, length);
  value[length] = 0;
}

#define SESSION "\"session_id\":\"00000000-0000-4000-8000-00000000000a\""

static void result(const char *uuid, const char *extra) {
  char line[1024];
  snprintf(line, sizeof line,
           "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":0,\"result\":\"\",\"duration_ms\":1,%s"
           "\"user_message_uuid\":%s,\"user_message_uuids\":[%s]," SESSION "}",
           extra, uuid, uuid);
  say(line);
}

static void compaction(const char *uuid) {
  char line[1024];
  snprintf(line, sizeof line, "{\"type\":\"command_lifecycle\",\"command_uuid\":%s,\"state\":\"started\"," SESSION "}", uuid);
  say(line);
  say("{\"type\":\"system\",\"subtype\":\"status\",\"status\":\"compacting\"," SESSION "}");
  say("{\"type\":\"system\",\"subtype\":\"status\",\"status\":null,\"compact_result\":\"success\"," SESSION "}");
  snprintf(line, sizeof line,
           "{\"type\":\"system\",\"subtype\":\"init\"," SESSION ",\"capabilities\":[\"msg_lifecycle_v1\"],\"user_message_uuids\":[%s]}", uuid);
  say(line);
  snprintf(line, sizeof line,
           "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":%s," SESSION
           ",\"compact_metadata\":{\"trigger\":\"manual\",\"pre_tokens\":9,\"post_tokens\":3}}", uuid);
  say(line);
  result(uuid, "\"local_command\":\"compact\",");
}

static void take(const char *in) {
  char id[256], line[1024];
  if (strstr(in, "\"jsonrpc\"")) {
    int is_flood = strstr(in, "\"method\":\"flood\"") || strstr(in, "\"method\":\"session/prompt\"");
    if (is_flood) flood();
    member(in, "\"id\":", id, sizeof id);
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":1,\"sessionId\":\"s\",\"stopReason\":\"end_turn\"}}", id);
    say(line);
  } else if (strstr(in, "\"control_request\"")) {
    member(in, "\"request_id\":", id, sizeof id);
    snprintf(line, sizeof line,
             "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":%s,\"response\":{\"commands\":"
             "[{\"name\":\"compact\",\"description\":\"compact\",\"builtin\":true}],\"claude_code_version\":\"2.1.332\","
             "\"session_state\":\"idle\",\"models\":[],\"account\":{}}}}",
             id);
    say(line);
  } else if (strstr(in, "\"type\":\"user\"")) {
    if (strstr(in, "\"hold\"")) return;
    member(in, "\"uuid\":", id, sizeof id);
    if (strstr(in, "\"/compact\"")) {
      compaction(id);
      return;
    }
    flood();
    result(id, "");
  } else if (strstr(in, "\"type\":\"prompt\"") || strstr(in, "\"type\":\"get_state\"")) {
    int is_prompt = strstr(in, "\"type\":\"prompt\"") != NULL;
    member(in, "\"id\":", id, sizeof id);
    snprintf(line, sizeof line, "{\"id\":%s,\"type\":\"response\",\"command\":\"%s\",\"success\":true,\"data\":{}}", id,
             is_prompt ? "prompt" : "get_state");
    say(line);
    if (!is_prompt) return;
    flood();
    result("null", "");
  }
}

int main(void) {
  const char *path = getenv("BENCH_TRAFFIC");
  const char *mode = getenv("BENCH_MODE");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  int file = path ? open(path, O_RDONLY) : -1;
  struct stat facts;
  if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0) {
    traffic = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    traffic_size = (size_t)facts.st_size;
  }
  has_headers = mode && strcmp(mode, "headers") == 0;
  if (mode && strcmp(mode, "exec") == 0) {
    while (getline(&line, &capacity, stdin) > 0) continue;
    flood();
    result("null", "");
    return 0;
  }
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    if (!has_headers) {
      take(line);
      continue;
    }
    if (strncasecmp(line, "Content-Length:", 15) != 0) continue;
    size_t size = (size_t)atol(line + 15);
    while (getline(&line, &capacity, stdin) > 2) continue;
    char *body = calloc(size + 1, 1);
    if (fread(body, 1, size, stdin) != size) return 0;
    take(body);
    free(body);
  }
  return 0;
}
