// @module-tag U-20
/** Runs the same commands against a server and against a store, as real processes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.js"] });`;
const workflows = `import { workflow, FatalStepError } from "runledger";
import { z } from "zod";
function refuse() {
  const unknown = new FatalStepError("NAME_UNKNOWN", "the name is unknown");
  throw Object.assign(unknown, { cause: new Error("the directory has 3 names") });
}
export const greet = workflow("greet", { version: "1", input: z.object({ name: z.string() }) }, (w) => {
  const hello = w.step("hello", ({ input, log }) => { log("greeting " + input.name, { letters: 3 }); return "hello " + input.name; });
  return w.step("end", { needs: { hello } }, ({ needs, input }) => {
    if (input.name === "unknown") refuse();
    return needs.hello + "!";
  });
});
export const gated = workflow("gated", { version: "1", signals: { go: z.object({ by: z.string() }) } }, (w) => {
  const go = w.waitForSignal("go");
  return w.step("after", { needs: { go } }, ({ needs, log }) => { log("went"); return needs.go.by; });
});`;

interface Place extends Where {
  /** Knows the server only: no project, no store. */
  readonly server: Where;
  readonly url: string;
}

async function place(): Promise<Place> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const env = { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd };
  const serving = startRunledger({ cwd, env }, "serve", "--port", "0", "--json");
  const { url } = JSON.parse(await serving.says(/^\{.*\}$/m)) as { url: string };
  const { key, secret } = await json<{ key: { keyId: string }; secret: string }>(
    { cwd, env },
    "keys",
    "create",
    "--name",
    "ada",
    "--role",
    "admin",
    "--tenant",
    "*",
  );
  expect(key.keyId).toMatch(/^key_/);
  await startRunledger({ cwd, env }, "worker").says("Next ");
  const elsewhere = freshProject({}); // no project and no store
  const server = { cwd: elsewhere, env: { RUNLEDGER_SERVER: url, RUNLEDGER_KEY: secret } };
  return { cwd, env, server, url };
}

async function json<T>(where: Where, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runledger(where, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as T;
}

/** The result on standard output, then the hint on standard error. */
async function output(where: Where, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runledger(where, ...args);
  expect({ code, stdout, hints: stderr.replaceAll(/^Next {2}.*\n/gm, "") }).toEqual({
    code: 0,
    stdout: expect.not.stringMatching(/^Next /m) as string,
    hints: "",
  });
  return stdout + stderr;
}

/** Replaces the parts that differ from run to run. */
const plain = (text: string): string =>
  text
    .replaceAll(/run_\w+/g, "run_x")
    .replaceAll(/ --server \S+/g, "")
    .replaceAll(/\d+(\.\d+)? m?s\b/g, "0 s")
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, "00:00:00.000")
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g, "2026-11-14 08:00:00")
    .replaceAll(/ {2,}/g, " ")
    .trim();

test("every command prints the same for a server and for a store", { timeout: 600_000 }, async () => {
  const { server, ...store } = await place();
  const done = await output(server, "run", "greet", "--input", `{"name":"ada"}`, "--wait");
  expect(plain(done)).toMatch(/^run_x greet 1\n 1 .* RunQueued[\s\S]*RunCompleted.*\nCOMPLETED in 0 s/);
  expect(done).toMatch(/^"hello ada!"$/m);
  const failed = await runledger(server, "run", "greet", "--input", `{"name":"unknown"}`, "--wait");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("NAME_UNKNOWN the name is unknown");
  const [one, other] = [done, failed.stdout].map((text) => /run_\w+/.exec(text)![0]);

  const { runId } = await json<{ runId: string }>(server, "run", "gated", "--request-id", "r1");
  expect(await json(server, "run", "gated", "--request-id", "r1")).toMatchObject({ runId });
  const watch = startRunledger(server, "watch", runId);
  await watch.says(`Next  npx runledger signal ${runId} go '{"by":"…"}'`);

  const both = async (...args: readonly string[]) => {
    const [remote, local] = await Promise.all([output(server, ...args), output(store, ...args)]);
    expect(plain(remote)).toBe(plain(local));
    return remote;
  };
  await expect.poll(() => output(store, "runs", "--status", "FAILED")).toContain(other); // the list follows the log
  expect(await both("runs", "--status", "FAILED")).toMatch(
    /FAILED .*end: NAME_UNKNOWN the name is unknown\nNext {2}npx runledger watch/,
  );
  expect(await both("events", one!)).toContain("RunCompleted");
  expect(await both("show", one!)).toMatch(/✔ end[\s\S]*\nOutput\n"hello ada!"\n\nArtifacts\nlog +\d+ B +store:/);
  const shown = await both("show", other!);
  expect(shown).toMatch(/\nend {3}attempt 1\nNAME_UNKNOWN the name is unknown\n {4}at refuse \(.*workflows\.js/);
  expect(shown).toMatch(/\ncaused by the directory has 3 names\n {4}at refuse/);
  expect(await both("result", one!)).toBe(`"hello ada!"\n`);
  expect(await both("result", one!.slice(-8))).toBe(`"hello ada!"\n`); // as the console shows it
  expect(await runledger(store, "result", "0000dead")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error RUN_NOT_FOUND/) as string,
  });
  for (const where of [server, store]) {
    expect(await json(where, "show", one!)).toMatchObject({ output: "hello ada!", steps: [{ stepId: "hello" }, {}] });
    expect(await json(where, "result", one!)).toMatchObject({ status: "COMPLETED", output: "hello ada!" });
    expect(await runledger(where, "result", other!)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `error RUN_FAILED  Run ${other!} is FAILED because of end: NAME_UNKNOWN the name is unknown\n`,
    });
  }
  expect(await both("logs", one!)).toContain(`hello  greeting ada {"letters":3}`);
  expect(await both("diff", one!, other!)).toMatch(
    /≠ end +SUCCESS .* FAILED .*NAME_UNKNOWN +status, error[\s\S]*1 different/,
  );
  expect(await both("queue", "why", runId)).toContain("waiting for signal go");
  expect(await both("queue")).toContain("waiting for signal go");
  expect(await both("fork", other!, "--from", "end", "--dry-run")).toContain("✔ hello   kept");

  expect(await output(server, "pause", runId)).toBe(`PAUSE accepted by ${runId}\nNext  npx runledger watch ${runId}\n`);
  await watch.says(`Next  npx runledger resume ${runId}`);
  await output(server, "resume", runId);
  const wrong = await runledger(server, "signal", runId, "go", `{"by":1}`);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error SCHEMA_MISMATCH {2}/) as string });
  const follow = startRunledger(server, "logs", runId, "--follow");
  const events = startRunledger(server, "events", runId, "--follow");
  await events.says("RunResumed");
  await output(server, "signal", runId, "go", `{"by":"ada"}`);
  for (const ending of [watch, follow, events]) expect(await ending.ended).toMatchObject({ code: 0 });
  expect(follow.output).toContain("after  went");
  expect(events.output).toContain("RunCompleted");
  const late = await runledger(server, "cancel", runId);
  expect(late).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error SIGNAL_REJECTED {2}/) as string });
  const fork = await json<{ runId: string }>(server, "fork", other!, "--from", "end", "--input", `{"name":"bob"}`);
  expect(await output(server, "watch", fork.runId)).toContain("RunCompleted");
  expect(await output(server, "retry", other!)).toContain("RETRY_RUN accepted");
});

test(
  "queue, limits, schedules and keys work through a server, and refusals have exit codes",
  { timeout: 600_000 },
  async () => {
    const { server, url, ...store } = await place();
    expect(await output(server, "queue")).toBe("No open runs.\nNext  npx runledger runs\n");
    expect(
      await output(server, "queue", "limits", "set", "tenant", "default", "--max-running", "0", "--rate", "10/1m"),
    ).toMatch(/^tenant {3}default {3}0 running, 10 starts per 1 m 0 s\nNext/);
    const { runId } = await json<{ runId: string }>(server, "run", "gated");
    for (const where of [server, store]) {
      expect(await output(where, "queue", "limits")).toContain("tenant   default   0 running");
      expect(await output(where, "queue", "why", runId)).toMatch(
        new RegExp(
          `^${runId} {3}queued {3}position 1.*\\n {2}limit of tenant default: 0 of 0 running\\nNext {2}npx runledger queue limits`,
        ),
      );
    }
    expect(await json(server, "queue", "limits", "remove", "tenant", "default")).toMatchObject({ removed: true });
    await output(server, "cancel", runId);

    await output(
      server,
      "schedules",
      "put",
      "nightly",
      "--workflow",
      "greet",
      "--input",
      `{"name":"x"}`,
      "--cron",
      "0 2 * * *",
    );
    for (const where of [server, store])
      expect(await output(where, "schedules", "list")).toMatch(/^nightly {3}greet 1 {3}0 2 \* \* \* UTC/);
    expect((await output(server, "schedules", "next", "nightly", "--count", "2")).trim().split("\n")).toHaveLength(2);
    const range = ["--from", "2026-11-01T00:00:00Z", "--to", "2026-11-03T00:00:00Z", "--dry-run"];
    const outputs = [await output(server, "schedules", "backfill", "nightly", ...range)];
    outputs.push(await output(store, "schedules", "backfill", "nightly", ...range));
    for (const text of outputs)
      expect(text).toMatch(/2026-11-02T02:00:00.000Z {3}would start\n2 times, 2 runs to start/);
    expect(await output(server, "schedules", "pause", "nightly")).toContain("paused since");
    expect(await output(server, "schedules", "remove", "nightly")).toContain("Its runs remain");

    const { key, secret } = await json<{ key: { keyId: string }; secret: string }>(
      server,
      "keys",
      "create",
      "--name",
      "v",
    );
    expect(await output(server, "keys", "list")).toMatch(new RegExp(`${key.keyId} {3}viewer {3}default`));
    const refused = await runledger({ cwd: server.cwd }, "cancel", runId, "--server", url, "--key", secret);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error FORBIDDEN {2}/) as string });
    expect(await output(server, "keys", "revoke", key.keyId)).toContain(`Revoked ${key.keyId}`);
    const unknown = await runledger({ cwd: server.cwd }, "runs", "--server", url, "--key", "rlk_none");
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error UNAUTHENTICATED {2}/) as string });
    const gone = await runledger({ cwd: server.cwd }, "runs", "--server", "http://127.0.0.1:1", "--key", secret);
    expect(gone).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^error STORE_UNAVAILABLE {2}Cannot reach the server/) as string,
    });
    const twice = await runledger(store, "runs", "--server", url, "--store", "memory:");
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error OPTION_INVALID {2}--server/) as string,
    });
    const local = await runledger(store, "store", "verify", "--server", url);
    expect(local).toMatchObject({ code: 2, stderr: expect.stringMatching(/works on a store/) as string });
    expect(await output(server, "doctor")).toMatch(/✔ Server +\S+ is ready\n✔ Key +ada: admin of all tenants/);
    // A server on the same machine accepts the token in its data directory.
    expect(await output(store, "runs", "--server", url)).toContain("gated 1");
  },
);

test("the local token is not sent to a URL that only looks local", { tags: ["R-26"] }, async () => {
  const sent: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    sent.push(headers.authorization);
    response.writeHead(401, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const where = await place();
  await runledger(where, "runs", "--server", `http://127.0.0.1:x@127.0.0.2:${port}/`);
  expect(sent.filter((header) => String(header).includes("rlt_"))).toEqual([]);
});

test("run FILE --server publishes YAML and JSON and runs it there, but refuses code", async () => {
  const { server, url } = await place();
  const files = {
    "nap.yaml": "workflow: nap\nversion: '1'\nsteps:\n  - id: rest\n    sleep: 1ms\n",
    "tools.json": JSON.stringify({ workflow: "tools", steps: [{ id: "say", command: ["echo", "hi"] }] }),
    "code.ts": "export {};",
    "broken.yaml": "workflow: broken\nsteps: [{ id: a, unheard: 1 }]\n",
  };
  const where = { ...server, cwd: freshProject(files) };
  const done = await runledger(where, "run", "nap.yaml", "--server", url, "--wait", "--json");
  expect(done.code, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ workflow: "nap", version: "1", status: "COMPLETED" });
  const again = await json<{ runId: string }>(where, "run", "nap.yaml", "--server", url, "--input", '{"n":1}');
  expect(again.runId).toMatch(/^run_/);
  const tools = await runledger(where, "run", "tools.json", "--server", url);
  expect(tools).toMatchObject({ code: 0, stdout: expect.stringMatching(/command steps.*allowPublished/) as string });
  const code = await runledger(where, "run", "code.ts", "--server", url);
  expect(code).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error OPTION_INVALID .*runledger worker/) as string,
  });
  const broken = await runledger(where, "run", "broken.yaml", "--server", url);
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringMatching(/broken\.yaml:2:/) as string });
});
