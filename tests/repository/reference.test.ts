/** The reference is made from the code, that of HTTP in api-document.test.ts; `npx vitest run tests/repository/reference.test.ts -u` makes it anew. */
import { readFileSync } from "node:fs";
import { format } from "prettier";
import { expect, test } from "vitest";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";
import { configurationReference, FOR_COMMANDS, VARIABLES } from "../support/reference/configuration-reference.js";
import { eventsReference } from "../support/reference/events-reference.js";

const made: Readonly<Record<string, () => string>> = {
  "events.md": eventsReference,
  "configuration.md": configurationReference,
};

test.each(Object.keys(made))("[U-40] docs/reference/%s is what the code says", async (file) => {
  const text = await format(made[file]!(), { parser: "markdown", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(inRepository(`docs/reference/${file}`));
});

test("[U-40] every variable that is read is in the reference, and nothing else", () => {
  const sources = filesBelow("packages").filter((path) => /\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  const names = new Set(
    sources.flatMap((path) => readFileSync(inRepository(path), "utf8").match(/\bRUNLEDGER_[A-Z_]+/g) ?? []),
  );
  names.delete("RUNLEDGER_GUARD"); // between a command and what watches over it
  names.delete("RUNLEDGER_SECRET_WAREHOUSE_PASSWORD"); // an example
  names.delete("RUNLEDGER_JWT_"); // the beginning of the six
  const documented = [...Object.keys(VARIABLES), ...Object.keys(FOR_COMMANDS)];
  const jwt = documented.filter((name) => name.startsWith("RUNLEDGER_JWT_"));
  expect([...new Set([...names, ...jwt])].toSorted()).toEqual(documented.toSorted());
});
