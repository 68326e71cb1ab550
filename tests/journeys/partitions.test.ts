// @module-tag R-10
/** Hash partitions of the log (A2), from the configuration and the command line. */
import { expect, onTestFinished, test } from "vitest";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject } from "@runledger/test-support/runledger-command";

const workflows = `import { workflow } from "runledger";
export const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));`;

test("the store of the configuration names partitions, and another number is refused", async () => {
  const database = await freshDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const config = `export default { workflows: ["./workflows.js"], store: ${JSON.stringify(`${database.url}?partitions=4`)} };`;
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const where = { cwd, env: { RUNLEDGER_STORE: "" } };
  const printed = await runledger(where, "store", "migrate", "--print");
  expect(printed.stdout).toMatch(/^SET runledger\.partitions = '4';\n/);
  expect(await runledger(where, "store", "migrate")).toMatchObject({ code: 0 });
  const parts = await query(
    database.url,
    "SELECT relname AS part FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'runledger.run_events'::regclass ORDER BY 1",
  );
  expect(parts).toEqual([0, 1, 2, 3].map((i) => ({ part: `run_events_p${i}` })));
  const run = await runledger(where, "run", "workflows.js#hello", "--wait");
  expect(run.stdout, run.stderr).toContain("COMPLETED");
  expect(await runledger(where, "store", "verify")).toMatchObject({ code: 0 });
  expect(await runledger(where, "store", "migrate", "--index", "event_type, event_data")).toMatchObject({ code: 0 });
  const indexes = await query(
    database.url,
    "SELECT FROM pg_indexes WHERE indexname ~ '^run_events_p._by_event_(type|data)$'",
  );
  expect(indexes).toHaveLength(8);
  const other = await runledger(where, "store", "migrate", "--store", `${database.url}?partitions=8`);
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error OPTION_INVALID {2}partitions: is 8, but the log of this database has 4\./,
    ) as string,
  });
});
