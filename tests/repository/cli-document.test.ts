/** What is made from the program is checked in; `npx vitest run tests/repository/cli-document.test.ts -u` makes it anew. */
import { format } from "prettier";
import { expect, test } from "vitest";
import { makeProgram } from "../../packages/runledger/src/cli/program.js";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { cliDocument } from "../support/cli-document.js";

const VERBS =
  "dev init run watch runs events logs signal approve pause resume cancel retry skip fork diff worker serve doctor";
const GROUPS = ["store migrate", "store verify", "store rebuild", "store archive", "queue", "schedules", "keys"];

test("[U-20] the checked in reference of the command line is what the program says", async () => {
  const text = await format(cliDocument(await makeProgram()), { parser: "markdown", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/cli.md"));
  for (const verb of [...VERBS.split(" "), ...GROUPS]) expect(text).toContain(`\n## runledger ${verb}\n`);
});
