/** The same commands against a server and against a store, as real processes. */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, type Where } from "../support/runledger-command.js";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"] });`;
const workflows = `import { workflow, FatalStepError } from "runledger";
import { z } from "zod";
export const greet = workflow("greet", { version: "1", input: z.object({ name: z.string() }) }, (w) => {
  const hello = w.step("hello", ({ input, log }) => { log("greeting " + input.name); return "hello " + input.name; });
  return w.step("end", { needs: { hello } }, ({ needs, input }) => {
    if (input.name === "nobody") throw new FatalStepError("NOBODY", "there is nobody");
    return needs.hello + "!";
  });
});
export const gated = workflow("gated", { version: "1", signals: { go: z.object({ by: z.string() }) } }, (w) => {
  const go = w.waitForSignal("go");
  return w.step("after", { needs: { go } }, ({ needs, log }) => { log("went"); return needs.go.by; });
});`;

interface Place extends Where {
  /** What leads to the server, and nothing else. */
  readonly server: Where;
  readonly url: string;
}

async function place(): Promise<Place> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
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
  const elsewhere = freshProject({}); // no project, no store: only the server is known
  const server = { cwd: elsewhere, env: { RUNLEDGER_SERVER: url, RUNLEDGER_KEY: secret } };
  return { cwd, env, server, url };
}

async function json<T>(where: Where, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runledger(where, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as T;
}

async function said(where: Where, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runledger(where, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** What differs from run to run. */
const plain = (text: string): string =>
  text
    .replaceAll(/run_\w+/g, "run_x")
    .replaceAll(/ --server \S+/g, "")
    .replaceAll(/\d+(\.\d+)? m?s\b/g, "0 s")
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, "00:00:00.000")
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g, "2026-11-14 08:00:00")
    .replaceAll(/ {2,}/g, " ")
    .trim();

test("[U-20] every verb answers the same, whether a server or a store is asked", { timeout: 600_000 }, async () => {
  const { server, ...store } = await place();
  const done = await said(server, "run", "greet", "--input", `{"name":"ada"}`, "--wait");
  expect(plain(done)).toMatch(/^run_x greet 1\n 1 .* RunQueued[\s\S]*RunCompleted.*\nCOMPLETED in 0 s/);
  expect(done.trimEnd().split("\n").at(-1)).toBe(`"hello ada!"`);
  const failed = await runledger(server, "run", "greet", "--input", `{"name":"nobody"}`, "--wait");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("NOBODY there is nobody");
  const [one, other] = [done, failed.stdout].map((text) => /run_\w+/.exec(text)![0]);

  const { runId } = await json<{ runId: string }>(server, "run", "gated", "--request-id", "r1");
  expect(await json(server, "run", "gated", "--request-id", "r1")).toMatchObject({ runId });
  const watch = startRunledger(server, "watch", runId);
  await watch.says(`Next  npx runledger signal ${runId} go '{"by":"…"}'`);

  const both = async (...args: readonly string[]) => {
    const [remote, local] = await Promise.all([said(server, ...args), said(store, ...args)]);
    expect(plain(remote)).toBe(plain(local));
    return remote;
  };
  await expect.poll(() => said(store, "runs", "--status", "FAILED")).toContain(other); // the list follows the log
  expect(await both("runs", "--status", "FAILED")).toMatch(
    /FAILED .*end: NOBODY there is nobody\nNext {2}npx runledger watch/,
  );
  expect(await both("events", one!)).toContain("RunCompleted");
  expect(await both("logs", one!)).toContain("hello  greeting ada");
  expect(await both("diff", one!, other!)).toMatch(
    /≠ end +SUCCESS .* FAILED .*NOBODY +status, error[\s\S]*1 different/,
  );
  expect(await both("queue", "why", runId)).toContain("waiting for signal go");
  expect(await both("queue")).toContain("waiting for signal go");
  expect(await both("fork", other!, "--from", "end", "--dry-run")).toContain("✔ hello   kept");

  expect(await said(server, "pause", runId)).toBe(`PAUSE accepted by ${runId}\nNext  npx runledger watch ${runId}\n`);
  await watch.says(`Next  npx runledger resume ${runId}`);
  await said(server, "resume", runId);
  const wrong = await runledger(server, "signal", runId, "go", `{"by":1}`);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error SCHEMA_MISMATCH {2}/) as string });
  const follow = startRunledger(server, "logs", runId, "--follow");
  const events = startRunledger(server, "events", runId, "--follow");
  await events.says("RunResumed");
  await said(server, "signal", runId, "go", `{"by":"ada"}`);
  for (const ending of [watch, follow, events]) expect(await ending.ended).toMatchObject({ code: 0 });
  expect(follow.output).toContain("after  went");
  expect(events.output).toContain("RunCompleted");
  const late = await runledger(server, "cancel", runId);
  expect(late).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error SIGNAL_REJECTED {2}/) as string });
  const fork = await json<{ runId: string }>(server, "fork", other!, "--from", "end", "--input", `{"name":"bob"}`);
  expect(await said(server, "watch", fork.runId)).toContain("RunCompleted");
  expect(await said(server, "retry", other!)).toContain("RETRY_RUN accepted");
});

test(
  "[U-20] queue, limits, schedules and keys through a server; refusals have their exit codes",
  { timeout: 600_000 },
  async () => {
    const { server, url, ...store } = await place();
    expect(await said(server, "queue")).toBe("Nothing is queued, running or waiting.\nNext  npx runledger runs\n");
    expect(
      await said(server, "queue", "limits", "set", "tenant", "default", "--max-running", "0", "--rate", "10/1m"),
    ).toMatch(/^tenant {3}default {3}0 running, 10 begin per 1 m 0 s\nNext/);
    const { runId } = await json<{ runId: string }>(server, "run", "gated");
    for (const where of [server, store]) {
      expect(await said(where, "queue", "limits")).toContain("tenant   default   0 running");
      expect(await said(where, "queue", "why", runId)).toMatch(
        new RegExp(
          `^${runId} {3}queued {3}position 1.*\\n {2}limit of tenant default: 0 of 0 running\\nNext {2}npx runledger queue limits`,
        ),
      );
    }
    expect(await json(server, "queue", "limits", "remove", "tenant", "default")).toMatchObject({ removed: true });
    await said(server, "cancel", runId);

    await said(
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
      expect(await said(where, "schedules", "list")).toMatch(/^nightly {3}greet 1 {3}0 2 \* \* \* UTC/);
    expect((await said(server, "schedules", "next", "nightly", "--count", "2")).trim().split("\n")).toHaveLength(2);
    const range = ["--from", "2026-11-01T00:00:00Z", "--to", "2026-11-03T00:00:00Z", "--dry-run"];
    const asked = [await said(server, "schedules", "backfill", "nightly", ...range)];
    asked.push(await said(store, "schedules", "backfill", "nightly", ...range));
    for (const text of asked)
      expect(text).toMatch(/2026-11-02T02:00:00.000Z {3}would be started\n2 times, 2 runs to start/);
    expect(await said(server, "schedules", "pause", "nightly")).toContain("paused since");
    expect(await said(server, "schedules", "remove", "nightly")).toContain("its runs stay");

    const { key, secret } = await json<{ key: { keyId: string }; secret: string }>(
      server,
      "keys",
      "create",
      "--name",
      "v",
    );
    expect(await said(server, "keys", "list")).toMatch(new RegExp(`${key.keyId} {3}viewer {3}default`));
    const refused = await runledger({ cwd: server.cwd }, "cancel", runId, "--server", url, "--key", secret);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error FORBIDDEN {2}/) as string });
    expect(await said(server, "keys", "revoke", key.keyId)).toContain("is revoked");
    const unknown = await runledger({ cwd: server.cwd }, "runs", "--server", url, "--key", "rlk_none");
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error UNAUTHENTICATED {2}/) as string });
    const gone = await runledger({ cwd: server.cwd }, "runs", "--server", "http://127.0.0.1:1", "--key", secret);
    expect(gone).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^error STORE_UNAVAILABLE {2}.*cannot be reached/) as string,
    });
    const twice = await runledger(store, "runs", "--server", url, "--store", "memory:");
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error OPTION_INVALID {2}--server/) as string,
    });
    const local = await runledger(store, "store", "verify", "--server", url);
    expect(local).toMatchObject({ code: 2, stderr: expect.stringMatching(/works on a store/) as string });
    expect(await said(server, "doctor")).toMatch(/✔ server +\S+ is ready\n✔ key +ada is admin of all tenants/);
    // On its own machine a server takes the token of its data directory.
    expect(await said(store, "runs", "--server", url)).toContain("gated 1");
  },
);

test("a file is published to a server that is named, and run there; code is refused with what to do", async () => {
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
