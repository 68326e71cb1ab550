/** The forms in which a secret may appear in text (S1). */

/** The plain, JSON-escaped, URL-encoded and base64 forms. */
export function spellings(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const escaped = escapeJson(value);
  const forms = [value, escaped, escapeJson(escaped), encodeURIComponent(bytes.toString()), formEncoded(value)];
  return [...new Set([...forms, ...base64Forms(bytes)])];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Forms of a web page write a space as `+`. */
function formEncoded(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

/** The whole value, and the value inside longer data, which starts at one of three offsets. In both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString("base64");
  const forms = [whole, whole.replaceAll("=", ""), ...[0, 1, 2].map((offset) => insideBase64(bytes, offset))];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** The characters that depend on the value alone, not on its neighbors. */
function insideBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
