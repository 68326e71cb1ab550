// @module-tag R-09
/** A standby is promoted under load: work resumes, and acknowledged runs that survived are served (P7, F8, F9). */
import { connect, workflow, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { startReplicatedPair, type ReplicatedPair } from "@runledger/test-support/replicated-pair";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { query } from "@runledger/test-support/databases";
import { until } from "@runledger/test-support/until";

const chain = workflow("chain", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  return w.step("second", { after: [first] }, () => 2);
});

interface Scene {
  readonly pair: ReplicatedPair;
  readonly ledger: Ledger;
  /** The runs whose start was acknowledged. */
  readonly acknowledged: string[];
  /** The codes of starts that were refused. */
  readonly refused: Set<string>;
  readonly lead: (url: string) => void;
  /** The runs whose losses were reported. */
  readonly losses: Set<string>;
}

/** A worker, a projector and a caller that starts runs, through an address that can lead elsewhere. */
async function underLoad(): Promise<Scene> {
  const pair = await startReplicatedPair();
  const proxy = await startSilentProxy(pair.primary);
  const ledger = await connect(proxy.url, { retryForMs: 0 });
  const losses = new Set<string>();
  const onAlert = ({ code, runId = "" }: { code: string; runId?: string }): void =>
    void (code === "EVENTS_LOST" && losses.add(runId));
  await ledger.worker({ workflows: [chain], onAlert });
  ledger.projector({ onAlert });
  const [acknowledged, refused] = [[] as string[], new Set<string>()];
  const over = new AbortController();
  const load = (async () => {
    while (!over.signal.aborted) {
      const started = ledger.start(chain).then(
        ({ id }) => acknowledged.push(id),
        (error: unknown) => refused.add((error as { code: string }).code),
      );
      await Promise.all([started, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  })();
  onTestFinished(async () => {
    over.abort();
    await load;
    await ledger.close();
    await proxy.close();
    await pair.stop();
  });
  await until(() => acknowledged.length > 10);
  return { pair, ledger, acknowledged, refused, lead: proxy.lead, losses };
}

/** With default limits, work resumes in this time after the promotion. */
const RESUMED = { timeout: 30_000 };

const isCompleted = async ({ store }: Ledger, runId: string): Promise<boolean> =>
  (await store.projectSnapshot(runId).catch(() => null))?.status === "COMPLETED";

/** The address leads to the standby before it is promoted, as in most failovers. */
async function failOver({ pair, ledger, lead, refused, acknowledged }: Scene): Promise<number> {
  await pair.stopPrimary();
  const before = acknowledged.length;
  lead(pair.standby);
  refused.clear();
  await until(() => refused.has("STORE_UNAVAILABLE"));
  const readers = "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND query LIKE '%runledger%'";
  expect((await query(pair.standby, `${readers} AND pid <> pg_backend_pid()`)).length).toBe(0);
  await pair.promote();
  await expect.poll(() => acknowledged.length > before, RESUMED).toBe(true);
  await expect.poll(() => isCompleted(ledger, acknowledged[before]!), RESUMED).toBe(true);
  await until(() => acknowledged.length > before + 10);
  return before;
}

async function areServed(ledger: Ledger, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    await until(async () => (await ledger.store.getSnapshot(runId).catch(() => null))?.status === "COMPLETED");
    const events = await ledger.store.fetchEvents(runId);
    expect(events.map(({ runSeq }) => runSeq)).toEqual(events.map((_, index) => index + 1));
  }
}

test("work resumes after a failover without losses: every acknowledged run completes and is projected", async () => {
  const scene = await underLoad();
  await until(() => scene.pair.caughtUp());
  await failOver(scene);
  await areServed(scene.ledger, scene.acknowledged.slice(0, -1));
  expect([...scene.losses]).toEqual([]);
});

test("work resumes after a failover that lost transactions: survivors are served, and losses are reported", async () => {
  const scene = await underLoad();
  const { pair, ledger, acknowledged } = scene;
  await until(() => pair.caughtUp());
  await pair.detach();
  const detachedAt = acknowledged.length;
  await until(() => acknowledged.length > detachedAt + 10); // these are lost with the primary
  const doomed = acknowledged.slice(detachedAt + 5, detachedAt + 10);
  await areServed(ledger, doomed); // the projector has read them
  const before = await failOver(scene);
  const survived = (await ledger.store.fetchHeads(acknowledged.slice(0, before))).map(({ runId }) => runId);
  expect(survived.length).toBeGreaterThan(0);
  expect(survived.length).toBeLessThan(before);
  await areServed(ledger, [...survived, ...acknowledged.slice(before, -1)]);
  await until(() => doomed.every((runId) => scene.losses.has(runId)));
});
