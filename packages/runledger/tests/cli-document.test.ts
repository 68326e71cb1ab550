// @module-tag U-20
/** The reference of the CLI is generated and checked in. `npx vitest run packages/runledger/tests/cli-document.test.ts -u` updates it. */
import { format } from "prettier";
import { expect, test } from "vitest";
import { makeProgram } from "../src/cli/program.js";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { cliDocument } from "./support/cli-document.js";

const VERBS =
  "dev init run watch runs events logs signal approve pause resume cancel retry skip fork diff worker serve doctor";
const GROUPS = ["store migrate", "store verify", "store rebuild", "store archive", "queue", "schedules", "keys"];

test("the checked in reference of the command line is what the program says", async () => {
  const text = await format(cliDocument(await makeProgram()), { parser: "markdown", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/cli.md"));
  for (const verb of [...VERBS.split(" "), ...GROUPS]) expect(text).toContain(`\n## runledger ${verb}\n`);
});
