/** `850 ms`, `12 s`, `3 min 04 s`: as one reads it. */
export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** A place in time, as fine as what it is a part of asks for: `2.7 s`, `0.015 s`. */
export function toSeconds(ms: number, spanMs: number): string {
  return `${(ms / 1_000).toFixed(spanMs < 2_000 ? 3 : 1)} s`;
}

/** A time on this machine's clock, to the minute: `2026-11-30 23:10`. */
export function toMinute(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A time as everybody's clock has it, to the second: `2026-11-30 22:10:04 UTC`; nothing where there is no such time. */
export function toSecond(atMs: number): string | undefined {
  const at = new Date(atMs);
  return Number.isNaN(at.getTime()) ? undefined : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
