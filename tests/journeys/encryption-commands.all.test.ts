// @module-tag B-33
/** Commands on an encrypted store: keys from the environment, from a file and from the configuration. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { runledger as inOwnProcess } from "@runledger/test-support/runledger-command";
import { testServer } from "@runledger/test-support/test-server";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const KEYS = `2026-11:${Buffer.alloc(32, 9).toString("base64")}`;
const SECRET = "zebra";

const FLOW = `
workflow: greet
version: "1"
input: { type: object, properties: { note: { type: string } } }
steps:
  - id: say
    command: [node, -e, "process.stdout.write(process.env.RUNLEDGER_ENCRYPTION_KEYS ?? 'no keys')"]
`;

async function folder(): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "encryption-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "greet.yaml"), FLOW);
  return cwd;
}

test("runs are encrypted, and only commands with the keys show their payloads", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const cwd = await folder();
  const file = join(cwd, "keys");
  await writeFile(file, `${KEYS}\n`);
  const withKeys = { cwd, env: { RUNLEDGER_ENCRYPTION_KEYS: KEYS } };
  const withFile = { cwd, env: { RUNLEDGER_ENCRYPTION_KEYS_FILE: file } };
  const input = JSON.stringify({ note: SECRET });
  const run = await inOwnProcess(withKeys, "run", "greet.yaml", "--input", input, "--wait", "--json", "--store", url);
  expect(run.code, run.stderr).toBe(0);
  const stored = await query(url, "SELECT event_data::text AS data FROM runledger.run_events");
  expect(JSON.stringify(stored)).not.toContain(SECRET);
  const [{ id }] = (await query(url, "SELECT run_id AS id FROM runledger.run_heads")) as [{ id: string }];
  const shown = async (where: { cwd: string; env?: Record<string, string> }) =>
    (await runledger(where, "events", id, "--json", "--store", url)).stdout;
  expect(await shown(withFile)).toContain(SECRET);
  expect(await shown({ cwd })).not.toContain(SECRET);
  const logs = await runledger(withKeys, "logs", id, "--store", url);
  expect(logs.stdout).toContain("no keys"); // a program of a step cannot read them
  const config = `export default { workflows: ["./*.yaml"], encryption: { keysFile: ${JSON.stringify(file)} } };\n`;
  await writeFile(join(cwd, "runledger.config.mjs"), config);
  expect(await shown({ cwd })).toContain(SECRET);
  const doctor = await runledger({ cwd }, "doctor", "--json", "--store", url);
  expect(doctor.stdout).toContain("payloads are encrypted");
});

test("a wrong key is refused with its id", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const cwd = await folder();
  const env = { RUNLEDGER_ENCRYPTION_KEYS: "short:AAAA" };
  const refused = await runledger({ cwd, env }, "runs", "--store", url);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Key short has 3 bytes instead of 32")]);
  expect(refused.stderr).not.toContain("AAAA");
});

test("through a server, a command shows payloads by the role of its key", async () => {
  const ledger = await connect("memory:", { encryption: { keys: KEYS } });
  onTestFinished(() => ledger.close());
  const flow = workflow("flow", { version: "1" }, (w) => w.step("say", () => SECRET));
  const { server, client } = await testServer([flow], { ledger });
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow, {});
  await run.result();
  const shown = async (role: "viewer" | "operator") => {
    const { secret } = await client.createKey({ name: role, role });
    const where = { cwd: await folder() };
    return (await runledger(where, "events", run.id, "--json", "--server", server.url, "--key", secret)).stdout;
  };
  expect(await shown("operator")).toContain(SECRET);
  const concealed = await shown("viewer");
  expect(concealed).not.toContain(SECRET);
  expect(concealed).toContain('{"$encrypted":"2026-11"}');
});
