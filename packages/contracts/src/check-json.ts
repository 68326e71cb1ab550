/**
 * Checks payloads. A store must return exactly the payload it was given. A value that JSON would change, drop or reject
 * is therefore refused before anything is sent, with its path.
 */
import { InputError } from "./errors/families.js";
import { kind } from "./identifiers.js";

/** Deeper than any payload written by hand, shallow enough for every parser. */
const MAX_DEPTH = 100;
const UNSTORABLE = /\u0000|\p{Surrogate}/u;
/** Maximum number of UTF-8 bytes of one UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

/** Returns the JSON text of `value` after checking that it survives the round trip. */
export function checkedJson(field: string, value: unknown, maxBytes: number): string {
  checkValue(value, [field]);
  const text = JSON.stringify(value);
  if (text.includes("\\u")) checkTexts(value, [field]); // JSON.stringify escapes NUL, lone surrogates and little else
  if (text.length * MOST_BYTES_PER_UNIT > maxBytes) checkSize(field, utf8Length(text), maxBytes);
  return text;
}

/** The current path: the field, then keys and indexes. It becomes text only in an error. */
type Path = (string | number)[];

function checkValue(value: unknown, path: Path): void {
  switch (typeof value) {
    case "boolean":
    case "string":
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(path, `is ${value}, which JSON cannot represent. Use null or a string.`);
      return;
    case "object":
      return value === null ? undefined : checkObject(value, path);
    default:
      refuse(path, `is ${kind(value)}, which JSON cannot represent. Leave it out or use null.`);
  }
}

function checkObject(value: object, path: Path): void {
  if (path.length > MAX_DEPTH)
    refuse(path, `is nested more than ${MAX_DEPTH} levels deep, or refers to itself. Flatten it.`);
  if (Array.isArray(value)) return checkItems(value, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, `is ${instance(value)}. ${advice(value)}`);
  for (const key of Object.keys(value)) {
    if (key === "__proto__") refuse(path, "has a key `__proto__`. Rename it.");
    path.push(key);
    checkValue((value as Record<string, unknown>)[key], path);
    path.pop();
  }
}

function checkItems(items: readonly unknown[], path: Path): void {
  for (let i = 0; i < items.length; i++) {
    path.push(i);
    checkValue(items[i], path);
    path.pop();
  }
}

function checkTexts(value: unknown, path: Path): void {
  if (typeof value === "string") return checkText(value, path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    checkText(key, path, " (key)");
    path.push(Array.isArray(value) ? Number(key) : key);
    checkTexts(part, path);
    path.pop();
  }
}

function checkText(text: string, path: Path, what = ""): void {
  if (!UNSTORABLE.test(text)) return;
  refuse(path, "contains a NUL character or a lone surrogate. Encode such bytes, for example as base64.", what);
}

function checkSize(field: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const message = `is ${bytes} bytes as JSON; the limit is ${maxBytes}. Store it as an artifact and pass its reference instead.`;
  throw new InputError("PAYLOAD_TOO_LARGE", field, message);
}

function instance(value: object): string {
  return `an instance of ${value.constructor?.name || "a class"}`;
}

function advice(value: object): string {
  return value instanceof Date ? "Use date.toISOString()." : "Use plain data only.";
}

function refuse([field, ...keys]: Path, message: string, what = ""): never {
  const place = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  throw new InputError("PAYLOAD_NOT_JSON", `${field}${place}${what}`, message);
}

/** Computes the UTF-8 size of a well-formed string without encoding it. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7ff) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}
