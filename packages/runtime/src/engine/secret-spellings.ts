/** The forms in which a secret may appear in text (S1). */
import { MIN_SECRET_LENGTH } from "@runledger/contracts";
import { escapedForms } from "./escaped-forms.js";
import { exactly, spellingOf, type Spelling } from "./needles.js";

/** Columns after which programs break lines of base64. */
const COLUMNS = [64, 76];
/** The first and last line of a key in PEM. Everyone knows them. */
const PUBLIC_LINE = /^-{3,}(BEGIN|END) /;

/** The plain, escaped, URL-encoded, base64 and hexadecimal forms of the value, and the escaped forms of each of its lines. */
export function spellings(value: string): readonly Spelling[] {
  const text = Buffer.from(value, "utf8").toString();
  const trimmed = text.trim(); // a header has no spaces around it
  const inJson = JSON.stringify(text).slice(1, -1); // a token is often a JSON document in base64
  const encoded = [text, trimmed, inJson].flatMap((part) => encodedForms(Buffer.from(part, "utf8")));
  const escaped = [text, ...[trimmed, ...linesOf(text)].filter(isLong)].map(escapedForms);
  const all = [...escaped.map(spellingOf), ...encoded.filter(isLong).map(exactly)];
  return [...new Map(all.toReversed().map((spelling) => [spelling.key, spelling])).values()];
}

/** A program may print a value of several lines one by one. */
function linesOf(text: string): string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => !PUBLIC_LINE.test(line));
}

/** A short form would also match ordinary text. */
function isLong(form: string): boolean {
  return form.length >= MIN_SECRET_LENGTH;
}

function encodedForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  const misread = bytes.toString("latin1"); // as a header is read
  return [...base64Forms(bytes), hex, hex.toUpperCase(), misread];
}

/** The whole value, and the value inside longer data, which starts at one of three offsets. In both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString("base64");
  const inside = [0, 1, 2].map((offset) => insideBase64(bytes, offset));
  const wrapped = [whole, inside[0]!].flatMap((form) => COLUMNS.map((columns) => wrap(form, columns)));
  const forms = [whole, whole.replaceAll("=", ""), ...inside, ...wrapped];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function wrap(text: string, columns: number): string {
  return text.replaceAll(new RegExp(`.{${columns}}(?=.)`, "g"), "$&\n");
}

/** The characters that depend on the value alone, not on its neighbors. */
function insideBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
