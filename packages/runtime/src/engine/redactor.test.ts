import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { addProcessRedactor, redactAny, redactJson, redactText } from "../telemetry/process-redactors.js";
import { Redactor } from "./redactor.js";
import { Lines } from "./runners/lines.js";
import { spellings } from "./secret-spellings.js";
import { cut as cutTo } from "../workflow/cut.js";

const SECRET = "correct horse\nbattery";

function knowing(...values: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const [at, value] of values.entries()) redactor.add(`s${at}`, value);
  return redactor;
}

test("S1: a value is found in texts, keys, numbers and as JSON or an address would write it; the rest stays", () => {
  const redactor = knowing(SECRET, "12345678");
  const clean = { a: ["plain", 1, null, true], b: { c: "short" } };
  expect(redactor.json(clean)).toBe(clean);
  const dirty = {
    [`key ${SECRET}`]: 1,
    number: 912345678,
    list: [SECRET, { deep: `x${SECRET}y` }],
    json: JSON.stringify({ SECRET }),
    url: `https://example.org/?q=${encodeURIComponent(SECRET)}`,
    untouched: clean,
  };
  const redacted = redactor.json(dirty) as typeof dirty;
  expect(redacted).toEqual({
    "key [secret s0]": 1,
    number: "9[secret s1]",
    list: ["[secret s0]", { deep: "x[secret s0]y" }],
    json: '{"SECRET":"[secret s0]"}',
    url: "https://example.org/?q=[secret s0]",
    untouched: clean,
  });
  expect(redacted.untouched).toBe(clean);
});

test("S1: no encoding of a value survives, wherever it stands in longer data", () => {
  const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 40 });
  const around = fc.string({ unit: "binary", maxLength: 7 });
  fc.assert(
    fc.property(secret, around, around, (value, before, after) => {
      const redactor = knowing(value);
      const data = Buffer.from(before + value + after);
      const seen = [
        data.toString("base64"),
        data.toString("base64url"),
        Buffer.from(value).toString("base64"),
        JSON.stringify(JSON.stringify({ value })),
        new URLSearchParams({ value }).toString(),
      ].map((text) => redactor.text(text));
      for (const text of seen) expect(text).toContain("[secret s0]");
      expect(spellings(value).filter(({ key }) => seen.some((text) => text.includes(key)))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("S1: the beginning of a secret in front of a cut is removed", () => {
  const redactor = knowing("correct horse 😀 battery");
  const whole = "login with correct horse 😀 battery failed";
  for (let length = 0; length <= whole.length; length++) {
    const rest = redactor.text(cutTo(whole, length)).replace("[secret s0]", "");
    expect(rest.replace("login with ", ""), `cut to ${length}`).not.toMatch(/corr/);
  }
  expect(redactor.text("they were correct … and correct")).toBe("they were  … and correct");
  expect(redactor.text("a car …")).toBe("a car …");
});

test("S1: a secret inside another one does not leave the rest of it", () => {
  expect(knowing("password", "my-password-is-long").text("<my-password-is-long> <password>")).toBe(
    "<[secret s1]> <[secret s0]>",
  );
});

/** Positions at which to cut a text into pieces. */
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

function cut(text: string, at: readonly number[]): string[] {
  const places = [0, ...at.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return places.slice(1).map((place, i) => text.slice(places[i], place));
}

test("S1: however a text is cut into pieces, a stream gives what the whole would give", () => {
  const part = fc.constantFrom(
    SECRET,
    "correct ",
    "correct horse",
    "batter",
    "aabaab-aabaac",
    "aabaab",
    "\n",
    "ü",
    "x",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), cuts, (parts, at) => {
      const redactor = knowing(SECRET, "aabaab-aabaac");
      const text = parts.join("");
      for (const stream of [redactor.textStream(), redactor.byteStream()]) {
        const encoded = stream === undefined ? "" : text;
        const out =
          cut(encoded, at)
            .map((piece) => stream.push(piece))
            .join("") + stream.end();
        if (!text.includes("ü")) expect(out).toBe(redactor.text(text));
        expect(out).not.toContain(SECRET);
      }
    }),
  );
});

test("a stream holds back only what may be the start of a secret", { tags: ["R-12"] }, () => {
  const stream = knowing(SECRET).textStream();
  expect(["hello ", "corr", "al, cor"].map((piece) => stream.push(piece))).toEqual(["hello ", "", "corral, "]);
  expect(stream.end()).toBe("cor");
});

test("S1: lines of a program are free of a secret that spans pieces, characters and lines", () => {
  fc.assert(
    fc.property(cuts, (at) => {
      const bytes = Buffer.from(`before ${SECRET} after\r\nünï ${SECRET}`);
      const places = [0, ...at.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
      const lines = new Lines(knowing(SECRET).textStream());
      const found = places.slice(1).flatMap((place, i) => lines.push(bytes.subarray(places[i], place)));
      expect([...found, ...lines.end()]).toEqual(["before [secret s0] after", "ünï [secret s0]"]);
    }),
  );
});

test("a line without an end is cut instead of buffered forever", () => {
  const lines = new Lines(knowing().textStream());
  const found = lines.push(Buffer.from("x".repeat(200_000)));
  expect(found.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536]);
  expect(lines.end()).toEqual(["x".repeat(200_000 - 3 * 65_536)]);
});

test("S1: a secret of one worker that is part of another worker's secret does not leave the rest of it", () => {
  for (const [name, value] of [
    ["part", "amber kettle"],
    ["whole", "amber kettle lantern"],
  ] as const) {
    const redactor = new Redactor();
    redactor.add(name, value);
    onTestFinished(addProcessRedactor(redactor));
  }
  expect(redactText("--auth=amber%20kettle%20lantern")).toBe("--auth=[secret whole]");
  expect(redactJson({ text: "amber kettle" })).toEqual({ text: "[secret part]" });
});

test("S1: bytes and very large values are shown as before, and their text is redacted", () => {
  const redactor = new Redactor();
  redactor.add("s0", "amber kettle");
  onTestFinished(addProcessRedactor(redactor));
  const bytes = Buffer.alloc(50_000_000);
  const holder = { body: bytes };
  expect(redactAny(holder)).toBe(holder);
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, note: "amber kettle" }));
  expect(redactAny(rows)).toBe(rows);
  expect(redactAny(rows.slice(0, 10))).not.toBe(rows);
  expect(redactText(JSON.stringify(rows))).not.toContain("amber kettle");
});
