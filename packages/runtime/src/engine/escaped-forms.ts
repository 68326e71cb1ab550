/** The forms of a character in JSON, addresses, source code, SQL, CSV and HTML. Each language escapes different ones. */

const HTML: Readonly<Record<string, readonly string[]>> = {
  "&": ["&amp;", "&#38;"],
  "<": ["&lt;", "&#60;"],
  ">": ["&gt;", "&#62;"],
  '"': ["&quot;", "&#34;"],
  "'": ["&#39;", "&#x27;", "&apos;", "'\\''"],
};

/** Returns the forms of each character of the text. It must have no lone surrogates. */
export function escapedForms(text: string): readonly (readonly string[])[] {
  return Array.from(text, formsOf);
}

function formsOf(character: string): readonly string[] {
  if (/[A-Za-z0-9]/.test(character)) return [character];
  const plain = [character, escapeJson(character), ...codes(character), ...(HTML[character] ?? [])];
  const quoted = /[!-~]/.test(character) ? [`\\${character}`] : [];
  const doubled = character === "'" || character === '"' ? [character.repeat(2)] : [];
  const once = [...plain, ...quoted, ...doubled];
  const spaces = character === " " ? ["+"] : [];
  const twice = once.flatMap((form) => [escapeJson(form), ...percents(form)]);
  return [...new Set([...once, ...twice, ...spaces])];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As numbers: `\u00fc`, `\xfc`. */
function codes(character: string): readonly string[] {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place).toString(16));
  const long = units.map((unit) => `\\u${unit.padStart(4, "0")}`).join("");
  const short = units.length === 1 && units[0]!.length <= 2 ? [`\\x${units[0]!.padStart(2, "0")}`] : [];
  return [long, ...short].flatMap((form) => [form, form.replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())]);
}

/** Each character or only those that are no letters or digits, in upper and lower case. */
function percents(text: string): readonly string[] {
  const lower = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const mixed = encodeURIComponent(text);
  return [lower, lower.toUpperCase(), mixed, mixed.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())];
}
