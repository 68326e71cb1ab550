// @module-tag R-24
/** `runledger audit`: verify the hash chain and export the entries. */
import { tmpdir } from "node:os";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { expect, onTestFinished, test } from "vitest";

test("the audit log is verified and exported as JSON lines, and a change is reported", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const run = (...args: string[]) => runledger({ cwd: tmpdir() }, ...args, "--store", database.url);
  for (const name of ["first", "second", "third"]) expect((await run("keys", "create", "--name", name)).code).toBe(0);
  const verified = await run("audit", "verify");
  expect(verified).toMatchObject({ code: 0, stderr: "" });
  const [, head = ""] =
    /^3 entries verified, no differences\.\nHead {2}(3:[0-9a-f]{64})\n$/.exec(verified.stdout) ?? [];
  expect(head).not.toBe("");
  const lines = (await run("audit", "export")).stdout.trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ chainSeq, actorKind, action, outcome }) => [chainSeq, actorKind, action, outcome])).toEqual([
    [1, "command-line", "createKey", "allowed"],
    [2, "command-line", "createKey", "allowed"],
    [3, "command-line", "createKey", "allowed"],
  ]);
  expect((await run("audit", "verify", "--anchor", head)).code).toBe(0);
  await query(database.url, "UPDATE runledger.audit_log SET outcome = 'denied' WHERE chain_seq = 2");
  const changed = await run("audit", "verify");
  expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("Entry 2 was changed.")]);
  const wrong = await run("audit", "verify", "--anchor", "3");
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("--anchor");
});
