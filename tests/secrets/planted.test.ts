// @module-tag D-11
/** The search finds a secret in every form. Without this, finding none would mean nothing. */
import { expect, test } from "vitest";
import { leaksIn, plantedSecrets } from "./planted.js";

const SECRETS = plantedSecrets(Number(process.env["RUNLEDGER_SECRETS_SEED"] ?? 1), 20);

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in JSON": (value) => JSON.stringify({ value }),
  "in JSON inside JSON": (value) => JSON.stringify(JSON.stringify({ value })),
  "in base64": (value) => Buffer.from(value).toString("base64"),
  "inside longer base64": (value) => Buffer.from(`user:${value}:end`).toString("base64url"),
  "base64 in JSON": (value) => JSON.stringify({ a: Buffer.from(JSON.stringify(value)).toString("base64") }),
  "in an address": (value) => `https://host/?${new URLSearchParams({ value }).toString()}`,
  "URL-encoded": (value) => encodeURIComponent(value),
  "in hexadecimal": (value) => Buffer.from(value).toString("hex"),
  "without its end": (value) => value.slice(0, -9),
  "without its beginning": (value) => value.slice(9),
};

test.each(Object.entries(FORMS))("a secret is found %s", (_, form) => {
  for (const [name, value] of Object.entries(SECRETS)) {
    expect(leaksIn(`before ${form(value)} after`, SECRETS), value).toEqual([name]);
  }
});

test("a text without secrets has no leak", () => {
  expect(leaksIn(JSON.stringify(Object.keys(SECRETS)) + Buffer.from("nothing").toString("base64"), SECRETS)).toEqual(
    [],
  );
});
