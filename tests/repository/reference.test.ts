// @module-tag U-40
/** The reference is generated from the code (HTTP in api-document.test.ts). `npx vitest run tests/repository/reference.test.ts -u` updates it. */
import { readFileSync } from "node:fs";
import { format } from "prettier";
import { expect, test } from "vitest";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";
import {
  configurationReference,
  FOR_COMMANDS,
  VARIABLES,
} from "@runledger/test-support/reference/configuration-reference";
import { typescriptReference } from "@runledger/test-support/reference/typescript-reference";
import { eventsReference } from "@runledger/test-support/reference/events-reference";

const made: Readonly<Record<string, () => string>> = {
  "events.md": eventsReference,
  "configuration.md": configurationReference,
  "typescript.md": typescriptReference,
};

test.each(Object.keys(made))("docs/reference/%s is what the code says", async (file) => {
  const text = await format(made[file]!(), { parser: "markdown", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(inRepository(`docs/reference/${file}`));
});

test("the reference lists exactly the variables that the code reads", () => {
  const sources = filesBelow("packages")
    .filter((path) => /\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .filter((path) => !path.startsWith("packages/test-support/")); // its variables are in CONTRIBUTING.md
  const names = new Set(
    sources.flatMap((path) => readFileSync(inRepository(path), "utf8").match(/\bRUNLEDGER_[A-Z_]+/g) ?? []),
  );
  names.delete("RUNLEDGER_GUARD"); // internal, between a command and the process that guards it
  names.delete("RUNLEDGER_SECRET_WAREHOUSE_PASSWORD"); // an example
  names.delete("RUNLEDGER_JWT_"); // the prefix of six variables
  const documented = [...Object.keys(VARIABLES), ...Object.keys(FOR_COMMANDS)];
  const jwt = documented.filter((name) => name.startsWith("RUNLEDGER_JWT_"));
  expect([...new Set([...names, ...jwt])].toSorted()).toEqual(documented.toSorted());
});
