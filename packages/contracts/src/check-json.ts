/**
 * What a payload may hold. A store must give back exactly what it was given, so what JSON would change, drop or
 * refuse is refused here, before anything is sent, with the path of the culprit.
 */
import { InputError } from "./errors/families.js";
import { kind } from "./identifiers.js";

/** Deeper than any payload that a person wrote, shallow enough for every parser. */
const MAX_DEPTH = 100;
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

/** The JSON text of `value`, once it is known to survive the round trip. */
export function checkedJson(field: string, value: unknown, maxBytes: number): string {
  checkValue(field, value, 0);
  const text = JSON.stringify(value);
  const bytes = utf8Length(text);
  if (bytes > maxBytes) {
    const message = `is ${bytes} bytes as JSON; at most ${maxBytes} fit. Store it as an artifact and put its reference here.`;
    throw new InputError("PAYLOAD_TOO_LARGE", field, message);
  }
  return text;
}

function checkValue(path: string, value: unknown, depth: number): void {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      return checkText(path, value);
    case "number":
      if (!Number.isFinite(value)) refuse(path, `is ${value}, which JSON cannot hold; use null or a string.`);
      return;
    case "object":
      return value === null ? undefined : checkObject(path, value, depth);
    default:
      refuse(path, `is ${kind(value)}, which JSON cannot hold; leave it out or use null.`);
  }
}

function checkText(path: string, text: string): void {
  if (UNSTORABLE.test(text)) refuse(path, "has a NUL character or half a surrogate pair in it; encode such bytes.");
}

function checkObject(path: string, value: object, depth: number): void {
  if (depth >= MAX_DEPTH) refuse(path, `is nested more than ${MAX_DEPTH} deep, or refers to itself.`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkValue(`${path}[${i}]`, value[i], depth + 1);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, `is ${instance(value)}; ${advice(value)}`);
  for (const key of Object.keys(value)) {
    if (key === "__proto__") refuse(path, "has a key `__proto__`; rename it.");
    checkText(`${path} (key)`, key);
    checkValue(`${path}.${key}`, (value as Record<string, unknown>)[key], depth + 1);
  }
}

function instance(value: object): string {
  return `an instance of ${value.constructor?.name || "a class"}`;
}

function advice(value: object): string {
  return value instanceof Date ? "store date.toISOString()." : "store plain data only.";
}

function refuse(path: string, message: string): never {
  throw new InputError("PAYLOAD_NOT_JSON", path, message);
}

/** Bytes of a well-formed string in UTF-8, without encoding it. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7ff) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}
