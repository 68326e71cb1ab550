/** Marks the place where a text was cut. The redactor looks in front of it for the beginning of a secret (S1). */
export const CUT = " …";

export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? wholeCharacters(text.slice(0, maxLength)) + CUT : text;
}

/** Half a character would not match the beginning of a secret. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
