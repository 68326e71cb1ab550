// @module-tag R-43
/** `--json` prints the same values on a store and through a server. */
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, runledger, startRunledger } from "@runledger/test-support/runledger-command";

test("every reading command prints the same JSON on a store and through a server", { timeout: 600_000 }, async () => {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  const echo = workflow("echo", { version: "1" }, (w) =>
    w.step("say", async ({ artifact, log }) => {
      log("hello", { letters: 5 });
      return (await artifact.write("text", "hello")).kind;
    }),
  );
  const gated = workflow("gated", { version: "1" }, (w) => w.waitForSignal("go"));
  const worker = await ledger.worker({ workflows: [echo, gated] });
  const [one, other, open] = [await ledger.start(echo), await ledger.start(echo), await ledger.start(gated)];
  await Promise.all([one.result(), other.result()]);
  await worker.stop();
  await ledger.limits.set({ scope: "tenant", subject: "default", maxRunning: 3 });
  await ledger.schedules.put({ id: "nightly", workflow: echo, cron: "0 2 * * *" });

  const cwd = freshProject({});
  const env = { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd };
  const serving = startRunledger({ cwd, env }, "serve", "--roles", "api,projector", "--port", "0", "--json");
  const { url } = JSON.parse(await serving.says(/^\{.*\}$/m)) as { url: string };
  const listed = () => runledger({ cwd, env }, "runs", "--json", "--server", url);
  await expect.poll(async () => (await listed()).stdout.split("\n").length).toBe(4);
  const commands = [
    ["runs"],
    ["show", one.id],
    ["result", one.id],
    ["events", one.id],
    ["logs", one.id],
    ["diff", one.id, other.id],
    ["artifacts", "list", one.id],
    ["workflows"],
    ["workers"],
    ["queue"],
    ["queue", "why", open.id],
    ["queue", "limits"],
    ["schedules", "list"],
    ["schedules", "next", "nightly", "--count", "2"],
    ["fork", one.id, "--from", "say", "--dry-run"],
  ];
  for (const command of commands) {
    const [store, server] = await Promise.all([
      runledger({ cwd, env }, ...command, "--json"),
      runledger({ cwd, env }, ...command, "--json", "--server", url),
    ]);
    expect({ command, code: store.code, stderr: store.stderr }).toEqual({ command, code: 0, stderr: "" });
    expect.soft({ command, ...parsed(server) }).toEqual({ command, ...parsed(store) });
  }
});

function parsed({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) {
  const values = stdout.split("\n").filter((line) => line !== "");
  return { code, stderr, values: values.map((line) => JSON.parse(line) as unknown) };
}
