/** Tests that every cause of a silent server must pass. */
import { connect, workflow, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";

export interface SilentLink {
  /** Leads over the link that goes silent. */
  readonly url: string;
  /** Leads around it. */
  readonly steadyUrl: string;
  silence(): void;
  resume(): void;
}

export const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));

/** A workflow whose step stays open until `gate.open` is called. */
export function gated() {
  const gate = { isStarted: false, open: (): void => {} };
  const waiting = workflow("waiting", { version: "1" }, (w) =>
    w.step("wait", () => {
      gate.isStarted = true;
      return new Promise<string>((resolve) => (gate.open = () => resolve("done")));
    }),
  );
  return { gate, waiting };
}

export async function ticks({ store }: Ledger): Promise<number> {
  const params = {
    tenantId: "default",
    scheduleId: "often",
    from: "2000-01-01T00:00:00.000Z",
    to: "2100-01-01T00:00:00.000Z",
  };
  return (await store.schedules.listTicks(params)).length;
}

export function silenceTests(link: () => SilentLink): void {
  test("worker, scheduler and projector stop and the ledger closes while its server is silent", async () => {
    const { gate, waiting } = gated();
    const ledger = await connect(link().url);
    const worker = await ledger.worker({ workflows: [waiting], leaseMs: 1500 });
    const [scheduler, projector] = [ledger.scheduler(), ledger.projector()];
    const run = await ledger.start(waiting);
    await until(() => gate.isStarted);
    link().silence();
    onTestFinished(() => link().resume());
    gate.open(); // the worker cannot record the result
    await Promise.all([worker.stop(), scheduler.stop(), projector.stop()]);
    await ledger.close();
    link().resume();

    await using later = await connect(link().steadyUrl);
    await using other = await later.worker({ workflows: [waiting] });
    await until(() => other.driving === 1);
    await until(async () => {
      gate.open();
      return (await later.store.projectSnapshot(run.id)).status === "COMPLETED";
    });
  });

  test("HTTP requests get 503 from a silent server, and a stream continues afterwards", async () => {
    await using ledger = await connect(link().url, { retryForMs: 0 });
    await using driver = await connect(link().steadyUrl);
    const stays = workflow("stays", { version: "1" }, (w) => w.waitForSignal("go"));
    await driver.worker({ workflows: [stays] });
    const { client, call } = await testServer([hello], { ledger });
    const run = await driver.start(stays);
    const seen: string[] = [];
    const following = (async () => {
      for await (const { eventType } of client.streamRun(run.id)) seen.push(eventType);
    })();
    await until(() => seen.length > 0);
    link().silence();
    onTestFinished(() => link().resume());
    const responses = await Promise.all([call("GET", "/runs"), call("POST", "/runs", { workflow: "hello" })]);
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    link().resume();
    await run.cancel();
    await following;
    expect(seen.at(-1)).toBe("RunCancelled");
    await until(async () => (await call("GET", "/runs")).status === 200);
  });
}
