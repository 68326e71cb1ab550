// @module-tag U-12
/** Schemathesis knows only the OpenAPI document, and finds no response that it does not describe. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { cached } from "../../scripts/lib/cache-folder.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { testServer, TOKEN } from "@runledger/test-support/test-server";

const flow = workflow("flow", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  return w.waitForSignal("go", { after: [first] });
});

const CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
const PROGRAM = "from schemathesis.cli import schemathesis; schemathesis()";

describeWith("schemathesis", [requireTool("python3")], () => {
  test("finds no fault in the whole document", { timeout: 600_000 }, async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const { server, ledger, log } = await testServer([flow], { store: database.url });
    ledger.projector();
    await ledger.worker({ workflows: [flow] });
    await ledger.start(flow);
    const { code, stdout } = await judge(`${server.url}/api/openapi.json`);
    expect({ code, told: code === 0 ? "" : stdout.slice(-6000) }).toEqual({ code: 0, told: "" });
    expect(log.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("finds a planted fault", { timeout: 300_000 }, async () => {
    const answers = { 200: { description: "OK" } };
    const document = {
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      paths: { "/a": { get: { responses: answers } } },
    };
    const faulty = createServer((request, response) => {
      const isDocument = request.url === "/openapi.json";
      response.writeHead(isDocument ? 200 : 500, { "content-type": "application/json" });
      response.end(isDocument ? JSON.stringify(document) : "{}");
    });
    await new Promise<void>((resolve) => faulty.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void faulty.close());
    const { port } = faulty.address() as { port: number };
    expect((await judge(`http://127.0.0.1:${port}/openapi.json`)).code).toBe(1);
  });
});

async function judge(document: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const packages = await schemathesisPackages();
  const options = ["--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1"];
  const streams = ["--exclude-path-regex", "stream$"]; // they do not end; the fuzz of npm test reads them
  const header = ["--header", `Authorization: Bearer ${TOKEN}`];
  const quiet = ["--no-color", "--warnings", "off", "--suppress-health-check", "all", "--request-timeout", "20"];
  const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" };
  const cwd = mkdtempSync(join(tmpdir(), "schemathesis-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 20 }));
  const args = ["-c", PROGRAM, "run", document, ...options, ...streams, ...header, ...quiet];
  return capture("python3", args, { env, cwd, timeoutMs: 500_000 });
}

/** Pinned, in the cache folder. */
async function schemathesisPackages(): Promise<string> {
  const requirements = inRepository("tests/server/schemathesis-requirements.txt");
  const content = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  return cached(`schemathesis-${content}`, async (draft) => {
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", draft];
    const { code, stderr } = await capture("python3", [...args, "--requirement", requirements]);
    if (code !== 0) throw new Error(`pip install of schemathesis failed: ${stderr}`);
  });
}
