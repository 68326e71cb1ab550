/** Secrets with awkward characters, and the search for them in any form. */
import { randomInt } from "node:crypto";
import fc from "fast-check";

/** Differs in every run and has no meaning in any encoding, so that a match is never an accident. */
const RARE = "GHJKLMNPQRSTUVWXYZghjkmnpqrstuvwxyz";
const rare = (length: number): string => Array.from({ length }, () => RARE[randomInt(RARE.length)]).join("");

/** Characters that some encoding escapes. A header accepts the first ones only. */
const IN_HEADERS = [...Array.from("\"'`\\%+/=&<>#?;:,$ -~{}[]()!*@|^"), "ü", "a", "Z", "0"];
const AWKWARD = [...IN_HEADERS, "\n", "\t", "漢", "😀"];
const SPACES = fc.constantFrom("", "", " ", "  ");

/** The awkward part of each value depends on the seed only. Every other value can be sent in a header. */
export function plantedSecrets(seed: number, count: number): Readonly<Record<string, string>> {
  const values = Array.from({ length: count }, (_, place) => {
    const middle = fc.array(fc.constantFrom(...(place % 2 === 0 ? IN_HEADERS : AWKWARD)), {
      minLength: 8,
      maxLength: 20,
    });
    const [[before, awkward, after] = ["", [], ""]] = fc.sample(fc.tuple(SPACES, middle, SPACES), {
      seed: seed + place,
      numRuns: 1,
    });
    return before + rare(10) + awkward.join("") + rare(10) + after;
  });
  return Object.fromEntries(values.map((value, place) => [`planted-${place}`, value]));
}

/** Returns the names of the secrets that the text contains, entirely or as a part that identifies them. */
export function leaksIn(text: string, secrets: Readonly<Record<string, string>>): readonly string[] {
  const readings = readingsOf(text);
  const isIn = (part: string): boolean => readings.some((reading) => reading.includes(part));
  return Object.entries(secrets).flatMap(([name, value]) => (partsOf(value).some(isIn) ? [name] : []));
}

/** The value without spaces around it, its beginning and its end. */
function partsOf(value: string): readonly string[] {
  const trimmed = value.trim();
  return [trimmed, trimmed.slice(0, 8), trimmed.slice(-8)];
}

const DECODERS = [unescapeJson, decodePercents, (text: string) => decodePercents(text.replaceAll("+", " ")), latin1];

/** The text as it is, and decoded up to two times. */
function readingsOf(text: string): readonly string[] {
  const once = DECODERS.map((decode) => decode(text));
  const decoded = base64(text);
  return [text, decoded, ...once, ...once.map(unescapeJson), base64(once[1]!), unescapeJson(decoded), hex(text)];
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function unescapeJson(text: string): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, escape: string) =>
    escape.length > 1 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : (ESCAPES[escape] ?? escape),
  );
}

function decodePercents(text: string): string {
  return text.replaceAll(/(%[0-9a-fA-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
}

function latin1(text: string): string {
  return Buffer.from(text, "latin1").toString();
}

/** Decodes every word that may be base64. It may stand inside a longer one, so it starts at one of four places. */
function base64(text: string): string {
  const words = text.match(/[A-Za-z0-9+/_-]{11,}/g) ?? [];
  return words
    .flatMap((word) => [0, 1, 2, 3].map((from) => Buffer.from(word.slice(from), "base64").toString()))
    .join("\n");
}

function hex(text: string): string {
  return (text.match(/([0-9a-fA-F]{2}){8,}/g) ?? []).map((word) => Buffer.from(word, "hex").toString()).join("\n");
}
