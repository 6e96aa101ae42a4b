import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createRedactor, REDACTED } from '../src/redact.ts';
import { mayHoldSecret } from '../src/redact-patterns.ts';
import { redactRecord } from '../src/redact-record.ts';

const a = (count: number) => 'aB3'.repeat(count).slice(0, count);
const keys = {
  anthropic: `sk-ant-api03-${a(40)}`,
  openai: `sk-proj-${a(40)}`,
  stripe: `sk_live_${a(24)}`,
  github: `ghp_${a(36)}`,
  githubFine: `github_pat_${a(60)}`,
  gitlab: `glpat-${a(20)}`,
  slack: `xoxb-${'1'.repeat(12)}-${a(24)}`,
  aws: 'AKIAIOSFODNN7EXAMPLE',
  google: `AIza${a(35)}`,
  oauth: `ya29.${a(40)}`,
  npm: `npm_${a(36)}`,
  huggingface: `hf_${a(34)}`,
  sendgrid: `SG.${a(22)}.${a(43)}`,
  jwt: `eyJhbGciOi.eyJzdWIiOi.${a(43)}`,
};

describe('createRedactor', () => {
  const redactor = createRedactor({
    MY_TOKEN: 'exact-token-value',
    ANTHROPIC_API_KEY: 'dummy key with spaces',
    HTTPS_PROXY: 'http://me:pa55word@proxy.example:3128',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Tenant: tenant-secret-1',
    MYSQL_PWD: 'my-database-pwd',
    GPG_PASSPHRASE: 'open sesame now',
    SENTRY_DSN: 'https://dsnkey123@sentry.example/1',
    WEBHOOK_URL: 'https://hook.example/x?token=webhook-token-9',
    SSH_PRIVATE_KEY: 'line one\nline "two"',
    PWD: '/home/jane/project',
    HOME: '/home/jane',
    MAX_TOKENS: '32000',
    PATH: '/usr/bin',
  });

  test.each(Object.entries(keys))('R9 takes a key of the shape %s out of any text', (_name, key) => {
    for (const text of [key, `before ${key} after`, `"${key}"`, `x=${key}&y`, `(${key})`, `line\n${key}\nline`]) {
      const clean = redactor.text(text);
      expect(clean).not.toContain(key);
      expect(clean).toContain(REDACTED);
    }
  });

  test('R9 takes a private key out, also one that is cut off', () => {
    const body = `-----BEGIN RSA PRIVATE KEY-----\nMIIE${a(60)}\n`;
    expect(redactor.text(`x ${body}-----END RSA PRIVATE KEY----- y`)).toBe(`x ${REDACTED} y`);
    expect(redactor.text(`x ${body}`)).toBe(`x ${REDACTED}`);
  });

  test.each([
    ['Authorization: Bearer abc123', 'abc123'],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', 'dXNlcjpwYXNz'],
    ['x-api-key: abc.def', 'abc.def'],
    ['Set-Cookie: session=abcdefgh', 'session=abcdefgh'],
    ['sent bearer abcdefghijk', 'abcdefghijk'],
    ['https://user:hunter2@host/path', 'hunter2'],
    ['https://token@host/path', 'token@'],
    ['https://a:p@ss@host', 'p@ss'],
    ['GET /v1?api_key=zzz&x=1', 'zzz'],
    ['https://h/p?a=1&access_token=yyy#f', 'yyy'],
    ['export OPENAI_API_KEY=plainvalue', 'plainvalue'],
    ['"MY_SERVICE_SECRET": "plainvalue"', 'plainvalue'],
    ['uses exact-token-value here', 'exact-token-value'],
    ['dummy key with spaces', 'dummy key'],
    ['dummy%20key%20with%20spaces', 'dummy%20key'],
    ['proxy said pa55word', 'pa55word'],
    ['tenant-secret-1', 'tenant-secret-1'],
    ['my-database-pwd', 'my-database-pwd'],
    ['open sesame now', 'sesame'],
    ['dsnkey123', 'dsnkey123'],
    ['webhook-token-9', 'webhook-token-9'],
    [JSON.stringify('line one\nline "two"'), 'line one'],
  ])('R9 takes the secret out of %j', (text, secret) => {
    expect(redactor.text(text)).not.toContain(secret);
  });

  test.each([
    'a plain sentence about tokens, keys and secrets',
    'task-force-something-long-enough-to-match',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'toolu_01A09q90qw90lq917835lq9',
    'msg_01XFDUDYJgAACzvnptvVoYEL',
    'https://example.org/a/b?page=2',
    'mail me at jane@example.org',
    '32000',
    '/home/jane/project',
  ])('leaves %j alone', (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  test('R9 error texts lose home paths and hosts as well', () => {
    const text = redactor.error(
      'at /home/jane/x and /Users/bob/y: https://api.corp.example:8443/v1 (127.0.0.1:4010, [::1]:80, localhost:99, gw.internal)',
    );
    for (const place of ['jane', 'bob', 'corp.example', '8443', '127.0.0.1', '4010', '::1', 'localhost:99', 'gw.internal'])
      expect(text).not.toContain(place);
    expect(text).toContain('~/x');
  });

  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string(), fc.constantFrom(...Object.values(keys), 'Authorization: Bearer ', 'https://u:p@', '?token=')),
        ),
        (parts) => {
          const once = redactor.text(parts.join(' '));
          expect(redactor.text(once)).toBe(once);
          const error = redactor.error(parts.join(' '));
          expect(redactor.error(error)).toBe(error);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('R9 the quick look finds a mark wherever it stands, also across what is looked at together', () => {
    for (const around of [0, 13, 65_500, 131_000]) {
      for (let shift = 0; shift < 80; shift += 1) {
        const text = `${'word '.repeat(around).slice(0, around + shift)} ${keys.aws} ${'x'.repeat(shift)}`;
        expect(mayHoldSecret(text)).toBe(true);
      }
    }
    expect(mayHoldSecret('word '.repeat(30_000))).toBe(false);
    expect(mayHoldSecret('')).toBe(false);
  });

  test('long hostile text costs little', () => {
    for (const piece of ['eyJ-', 'a'.repeat(50), 'sk-', 'http', '://', '?a', '@', 'authorization', '-----BEGIN PRIVATE KEY']) {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      const start = performance.now();
      redactor.text(text);
      expect(performance.now() - start, piece).toBeLessThan(5_000);
    }
  });

  test('R9 records: ids are never touched, text and tool input are, and what is clean is the same object', () => {
    const id = keys.anthropic;
    const input = { command: `curl -H "x-api-key: ${keys.openai}"`, nested: [{ deep: keys.github }] };
    const record = redactRecord({ type: 'tool_called', toolCallId: id, tool: 'Bash', input }, redactor);
    expect(record).toMatchObject({ toolCallId: id, tool: 'Bash' });
    expect(JSON.stringify(record.type === 'tool_called' && record.input)).not.toMatch(/sk-proj|ghp_/);
    expect(input.nested[0]?.deep).toBe(keys.github);
    const clean = { type: 'assistant_text', text: 'nothing here' } as const;
    expect(redactRecord(clean, redactor)).toBe(clean);
  });

  test('R9 a message is cut behind its redaction, and never inside a character', () => {
    const key = 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa';
    const long = redactor.message(`${'x'.repeat(3_990)} ${key}${'😀'.repeat(5_000)}`);
    expect(long.length).toBeLessThan(4_100);
    expect(long).not.toContain('sk-ant');
    expect(long).toMatch(/characters more\]$/);
    expect(long.isWellFormed()).toBe(true);
    expect(redactor.message('short')).toBe('short');
  });
});

test.each([
  ['as it is', true],
  ['where WebAssembly is switched off', false],
])('R9 the quick look never misses what the full pattern would find: %s', async (_name, hasAssembly) => {
  vi.resetModules();
  if (!hasAssembly) vi.stubGlobal('WebAssembly', undefined);
  const { mayHoldSecret, secretPattern } = await import('../src/redact-patterns.ts');
  vi.unstubAllGlobals();
  const pieces = fc.oneof(
    fc.constantFrom(...Object.values(keys)),
    fc.constantFrom(
      ...['sk-', 'sk_', 'rk_', 'pk_', 'live_', 'test_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-'],
      ...['xoxb-', 'xoxs-', 'AKIA', 'ASIA', 'AIza', 'ya29.', 'npm_', 'hf_', 'gsk_', 'r8_', 'xai-', 'pplx-', 'pypi-', 'SG.'],
      ...[
        'eyJ',
        '-----BEGIN ',
        'RSA PRIVATE KEY-----',
        'proxy-',
        'Authorization',
        'Bearer',
        'basic',
        'digest',
        ': ',
        ' : ',
        '=',
        '":"',
      ],
      ...['x-api-key', 'api-key', 'x-goog-api-key', 'x-auth-token', 'set-cookie', 'cookie', 'MY_API_KEY', 'APIKEY', '_TOKEN'],
      ...[
        '_SECRET',
        'DB_PASSWORD',
        '_CREDENTIALS',
        'https://',
        'u:p',
        '@',
        'h',
        '?',
        '&',
        ';',
        '.',
        '-',
        '_',
        ' ',
        '\n',
        '"',
        '\u0173k-',
      ],
      ...['api_key', 'access-key', 'token', 'secret', 'passwd', 'credential', 'signature', 'sig', 'auth', 'key', 'page'],
    ),
    fc.integer({ min: 1, max: 44 }).map(a),
  );
  const either = (piece: string) => fc.constantFrom(piece, piece.toUpperCase(), piece.toLowerCase());
  let found = 0;
  fc.assert(
    fc.property(fc.array(pieces.chain(either), { maxLength: 7 }), fc.nat(40), (parts, before) => {
      const text = ' '.repeat(before) + parts.join('');
      const holds = text.search(secretPattern) >= 0;
      if (holds) found += 1;
      if (holds) expect(mayHoldSecret(text), text).toBe(true);
    }),
    { numRuns: 25_000 },
  );
  expect(found).toBeGreaterThan(5_000);
});
