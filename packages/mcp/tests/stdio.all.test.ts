// @module-tag D-33
/** The protocol on standard input and output, as bytes. */
import { spawn } from "node:child_process";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { bin, freshProject } from "@runledger/test-support/runledger-command";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const message = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const hello = message(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});
const calling = (id: number, name: string) => message(id, "tools/call", { name, arguments: {} });

/** Code of the project that prints when it is loaded. */
const config = `console.log("noise"); process.stdout.write("more noise\\n");
import { defineConfig } from "runledger";
export default defineConfig({ store: process.env.STORE_OF_TEST, workflows: ["./workflows/*.mjs"] });`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Writes to the command, closes its standard input, and waits for its end. */
async function runMcp(text: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const cwd = freshProject({ "runledger.config.mjs": config });
  const child = spawn(process.execPath, [bin, "mcp"], { cwd, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (said.stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (said.stderr += part));
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...said };
}

test("garbage is reported and skipped, text of the project does not reach the protocol, and calls are answered at the end", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  await (await connect(database.url)).close();
  const garbage = `}{ nonsense\n\u0000\u0001\n[]\n{"jsonrpc":"1.0"}\n${JSON.stringify({ jsonrpc: "2.0", id: 7 })}\n`;
  const text = `${hello}${garbage}${calling(2, "list_runs")}${calling(3, "unknown")}${message(4, "unknown/method")}`;
  const { code, stdout, stderr } = await runMcp(text, { STORE_OF_TEST: database.url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("noise\nmore noise\n") as string });
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number });
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]));
  expect(answers.find(({ id }) => id === 1)).toMatchObject({ result: { serverInfo: { name: "runledger" } } });
  expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { structuredContent: { runs: [], next: null } } });
  expect(answers.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32602 } });
  expect(answers.find(({ id }) => id === 4)).toMatchObject({ error: { code: -32601 } });
  expect(stderr).toMatch(/^warning {2}/m);
});

test("a server that does not respond is an error with a code, and standard output stays empty", async () => {
  const { code, stdout, stderr } = await runMcp(hello, {
    RUNLEDGER_SERVER: "http://127.0.0.1:1",
    RUNLEDGER_KEY: "rlk_x",
  });
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toMatch(/^error STORE_UNAVAILABLE /m);
});
