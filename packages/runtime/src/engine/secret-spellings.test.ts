// @module-tag D-11
/** The forms of a secret that other languages and programs write (S1). */
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Redactor } from "./redactor.js";
import { spellings } from "./secret-spellings.js";

const SECRET = `p+a/s='s' "w"\\ü&<1>*~`;

/** Written by the named program or function for the value `SECRET`. */
const FORMS: Readonly<Record<string, string>> = {
  "json.dumps of Python": String.raw`p+a/s='s' \"w\"\\\u00fc&<1>*~`,
  "json_encode of PHP": String.raw`p+a\/s='s' \"w\"\\ü&<1>*~`,
  "json.Marshal of Go": String.raw`p+a/s='s' \"w\"\\ü\u0026\u003c1\u003e*~`,
  "urllib.parse.quote of Python": "p%2Ba/s%3D%27s%27%20%22w%22%5C%C3%BC%26%3C1%3E%2A~",
  "urllib.parse.quote_plus of Python": "p%2Ba%2Fs%3D%27s%27+%22w%22%5C%C3%BC%26%3C1%3E%2A~",
  "an address in lower case": "p%2ba%2fs%3d%27s%27%20%22w%22%5c%c3%bc%26%3c1%3e%2a~",
  "repr of Python": String.raw`p+a/s=\'s\' "w"\\ü&<1>*~`,
  "html.escape of Python": `p+a/s=&#x27;s&#x27; &quot;w&quot;\\ü&amp;&lt;1&gt;*~`,
  "a shell": `p+a/s='\\''s'\\'' "w"\\ü&<1>*~`,
  SQL: `p+a/s=''s'' "w"\\ü&<1>*~`,
  CSV: `p+a/s='s' ""w""\\ü&<1>*~`,
  xxd: Buffer.from(SECRET).toString("hex"),
  "a header that was read as Latin-1": Buffer.from(SECRET).toString("latin1"),
};

function shown(secret: string, text: string): string {
  const redactor = new Redactor();
  redactor.add("s", secret);
  return redactor.text(text);
}

test.each(Object.entries(FORMS))("a secret is found as it is written by %s", (_, form) => {
  expect(shown(SECRET, `<${form}>`)).toBe("<[secret s]>");
});

test("a secret is found in an address of which only some characters are escaped", () => {
  const url = new URL("http://localhost/");
  url.search = SECRET;
  expect(shown(SECRET, url.href)).toBe("http://localhost/?[secret s]");
});

test("a secret with a line break is found in an inspected object", () => {
  const value = `it's "one" \`two\`\n\u001b[31m`;
  const text = inspect({ value }, { breakLength: Infinity });
  expect(shown(value, text)).toBe("{ value: '[secret s]' }");
});

test("a secret with spaces around it is found without them", () => {
  expect(shown("  spaces around  ", "a header: spaces around")).toBe("a header: [secret s]");
  expect(shown("  short  ", "a short word")).toBe("a short word");
});

test("the lines of a secret are found one by one, except those that everyone knows", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\nAAOCBKkwggSlAgEA\n-----END PRIVATE KEY-----\n";
  const lines = key.split("\n").map((line) => shown(key, line));
  const [first, , , , last] = key.split("\n");
  expect(lines).toEqual([first, "[secret s]", "short", "[secret s]", last, ""]);
});

test("a long secret is found in base64 with line breaks", () => {
  const secret = "A long secret of many words, ".repeat(6);
  for (const columns of [64, 76]) {
    const text = Buffer.from(`${secret}\n`)
      .toString("base64")
      .replaceAll(new RegExp(`.{${columns}}`, "g"), "$&\n");
    expect(shown(secret, text)).toMatch(/^\[secret s\].{0,4}$/);
  }
});

test("no form is so short that it would match ordinary text", () => {
  for (const secret of ["../../../../a/b", "\n\n\n\n\n\n\n\nab", "%%%%%%%%", "é\u0301é\u0301é\u0301é\u0301"])
    for (const { key } of spellings(secret)) expect(key.length, secret).toBeGreaterThanOrEqual(8);
});
