/** Converts `2026-11-14 08:00:00.12+00`, as PostgreSQL prints it in any time zone, to `2026-11-14T08:00:00.120Z`. */
export function isoInstant(text: string): string {
  if (!text.endsWith("+00")) return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
  const date = text.slice(0, 10);
  const time = text.slice(11, -3);
  return `${date}T${time.length === 8 ? `${time}.000` : time.padEnd(12, "0")}Z`;
}
