// @module-tag D-33
import { expect, test } from "vitest";
import { clean } from "./clean.js";

const none = (text: string) => text;

test("credentials are redacted before a text is shortened", () => {
  const secret = "s3cr3t-of-this-process";
  const redact = (text: string) => text.replaceAll(secret, "[secret]");
  const message = `${"x".repeat(3_990)}${secret} rlk_abcdefgh12345`;
  const cleaned = clean({ message, nested: [{ [secret]: secret }] }, redact);
  expect(JSON.stringify(cleaned)).not.toMatch(/s3c|abcdefgh/);
  expect(cleaned).toMatchObject({ nested: [{ "[secret]": "[secret]" }] });
});

test("control characters, invisible characters and tags are escaped; line breaks and other scripts are kept", () => {
  const text = "a\tb\nc \u001B[2J \u0000 \u202E \u200B \uFEFF \u{E0041} ü 漢字 👍";
  expect(clean({ text }, none)["text"]).toBe(
    "a\tb\nc \\u{1b}[2J \\u{0} \\u{202e} \\u{200b} \\u{feff} \\u{e0041} ü 漢字 👍",
  );
});

test("a result stays small, and shows that something was left out", () => {
  const runs = Array.from({ length: 50 }, (_, n) => ({ runId: `run_${n}`, message: "m".repeat(5_000) }));
  const cleaned = clean({ runs }, none);
  expect(JSON.stringify(cleaned).length).toBeLessThan(40_001);
  expect(cleaned).toMatchObject({ truncated: true });
  expect(clean({ runs: runs.slice(0, 1).map(({ runId }) => ({ runId })) }, none)).toEqual({
    runs: [{ runId: "run_0" }],
  });
});

test("values that are too deep or too many are left out", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const labels = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`label ${n} ${"x".repeat(200)}`, "y"]));
  for (const value of [{ deep }, { labels }, { list: Array.from({ length: 9 }, () => labels) }])
    expect(JSON.stringify(clean(value, none)).length).toBeLessThan(40_001);
});

test("a text is not cut within a character", () => {
  const text = `${"x".repeat(3_999)}👍👍`;
  expect(clean({ text }, none)["text"]).toBe(`${"x".repeat(3_999)}…`);
});
