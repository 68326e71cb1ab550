const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** `12.4 s`, `2 m 5 s`, `2 d 23 h`: at most two units. */
export function duration(ms: number): string {
  const time = Math.max(0, ms);
  if (time < 1_000) return `${Math.round(time)} ms`;
  if (time < 60_000) return `${(Math.floor(time / 100) / 10).toFixed(1)} s`;
  const at = UNITS.findIndex(([, size]) => time >= size);
  const [unit, size] = UNITS[at]!;
  const [smaller, smallerSize] = UNITS[at + 1]!;
  return `${Math.floor(time / size)} ${unit} ${Math.floor((time % size) / smallerSize)} ${smaller}`;
}

/** Collapses text to one line of at most `limit` characters. */
export function short(text: string, limit = 100): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** Quotes a word for the shell if it needs quotes. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** `17 B`, `3.1 KB`, `2.0 MB` */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 ** 2 ? `${(size / 1024).toFixed(1)} KB` : `${(size / 1024 ** 2).toFixed(1)} MB`;
}
