import assert from "node:assert/strict";
import type { DatasetRecord, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf } from "../support/events.js";
import { project, queuedOf } from "../support/projecting.js";
import { refusedInput } from "../support/refused.js";

type Ports = "archive" | "datasets" | "index" | "queue" | "retention";
type Store = StateStore & Required<Pick<StateStore, Ports>>;

const ORDERS = { namespace: "runledger", name: "shop.orders" };
const TOTALS = { namespace: "s3://bank", name: "totals" };
const acme = <T extends object>(dataset: T) => ({ tenantId: "acme", ...dataset });

const recordOf = (runId: string, parts: Partial<DatasetRecord> = {}): DatasetRecord => ({
  ...ORDERS,
  access: "write",
  planId: "load",
  runId,
  stepId: "orders",
  attempt: "1",
  at: "2026-01-01T00:00:00.000Z",
  details: { rows: 3, fields: [{ name: 'é"|' }] },
  ...parts,
});

async function addRuns(store: StateStore, tenantId: string, ...runIds: readonly string[]): Promise<void> {
  for (const runId of runIds)
    await store.forTenant(tenantId).appendEvents([queuedOf(runId, { tenantId }), eventOf(runId, "RunCompleted")]);
}

async function recorded(store: Store, ...records: readonly DatasetRecord[]): Promise<void> {
  await store.datasets.recordDatasets(records);
  await store.datasets.recordDatasets(records); // projectors may do it twice
}

/** F7: the index of datasets is derived from the log and belongs to the tenant of the run. */
export const datasets = clause("datasets", ["archive", "datasets", "index", "queue", "retention"], {
  "F7: the last use by each step is kept, in any order of recording": async ({ store, another }) => {
    await addRuns(store, "acme", "one", "two");
    const later = recordOf("two", { at: "2026-01-02T00:00:00.000Z", details: { freshForMs: 5 } });
    await recorded(store, later, recordOf("one"));
    await recorded(store, recordOf("one"), recordOf("one", { access: "read", stepId: "report" }));
    const found = await (await another()).datasets!.usesOf(acme(ORDERS));
    assert.deepEqual(found, [later, recordOf("one", { access: "read", stepId: "report" })]);
    const writes = await store.datasets.listWrites(acme(ORDERS));
    assert.deepEqual(writes.map(({ runId }) => runId).toSorted(), ["one", "two"]);
    assert.deepEqual(await store.datasets.listDatasets({ tenantId: "acme" }), [{ ...ORDERS, lastWrite: later }]);
  },

  "datasets are listed by namespace and name, page by page and by a part of the name": async ({ store }) => {
    await addRuns(store, "acme", "one");
    const names = [ORDERS, TOTALS, { ...ORDERS, name: "B" }, { ...ORDERS, name: "100%_" }];
    await recorded(store, ...names.map((name) => recordOf("one", { ...name, access: "read" })));
    const listed = async (params: object) =>
      (await store.datasets.listDatasets({ tenantId: "acme", ...params })).map(({ name }) => name);
    assert.deepEqual(await listed({}), ["100%_", "B", "shop.orders", "totals"]);
    assert.deepEqual(await listed({ after: { ...ORDERS, name: "B" }, limit: 1 }), ["shop.orders"]);
    assert.deepEqual(await listed({ text: "ORD" }), ["shop.orders"]);
    assert.deepEqual(await listed({ text: "%" }), ["100%_"]);
    const [first] = await store.datasets.listDatasets({ tenantId: "acme" });
    assert.equal(first?.lastWrite, null, "it was only read");
  },

  "the uses by steps lead from a dataset to others": async ({ store }) => {
    await addRuns(store, "acme", "one");
    await recorded(
      store,
      recordOf("one", { access: "read" }),
      recordOf("one", TOTALS),
      recordOf("one", { planId: "x" }),
    );
    const steps = [
      { planId: "load", stepId: "orders" },
      { planId: "x", stepId: "y" },
    ];
    const found = await store.datasets.usesBySteps({ tenantId: "acme", steps });
    assert.deepEqual(
      found.map(({ access, name }) => [access, name]),
      [
        ["read", "shop.orders"],
        ["write", "totals"],
      ],
    );
    assert.deepEqual(await store.datasets.usesBySteps({ tenantId: "acme", steps: [] }), []);
  },

  "a tenant sees the datasets of its own runs, and a run that does not exist has none": async ({ store }) => {
    await addRuns(store, "acme", "one");
    await addRuns(store, "beta", "other");
    await recorded(store, recordOf("one"), recordOf("other", { at: "2026-03-01T00:00:00.000Z" }), recordOf("absent"));
    const runs = async (tenantId: string) =>
      (await store.datasets.usesOf({ tenantId, ...ORDERS })).map(({ runId }) => runId);
    assert.deepEqual([await runs("acme"), await runs("beta"), await runs("none")], [["one"], ["other"], []]);
    assert.equal((await store.datasets.listDatasets({ tenantId: "none" })).length, 0);
    assert.equal((await store.datasets.listWrites({ tenantId: "beta", ...ORDERS })).length, 1);
    const steps = [{ planId: "load", stepId: "orders" }];
    assert.equal((await store.datasets.usesBySteps({ tenantId: "acme", steps })).length, 1);
  },

  "a trigger takes each write once, and others take it, too": async ({ store, another }) => {
    await addRuns(store, "acme", "one", "two");
    await recorded(store, recordOf("one"), recordOf("one", { access: "read", stepId: "r" }), recordOf("one", TOTALS));
    await recorded(store, recordOf("two"));
    const untaken = async (triggerId: string, recordedFrom = "2020-01-01T00:00:00.000Z") => {
      const found = await (await another()).datasets!.untakenWrites({ ...acme(ORDERS), triggerId, recordedFrom });
      return found.map(({ runId }) => runId);
    };
    assert.deepEqual(await untaken("t"), ["one", "two"]);
    const taken = { ...acme(ORDERS), triggerId: "t", runId: "one", stepId: "orders", attempt: "1" };
    await store.datasets.takeWrite(taken);
    await store.datasets.takeWrite(taken);
    assert.deepEqual([await untaken("t"), await untaken("u")], [["two"], ["one", "two"]]);
    assert.deepEqual(await untaken("u", "2999-01-01T00:00:00.000Z"), []);
    await recorded(store, recordOf("one"));
    assert.deepEqual(await untaken("t"), ["two"]);
  },

  "A5: a deleted run disappears from the index, and the step that used a dataset stays": async ({ store }) => {
    await addRuns(store, "acme", "one");
    await project(store, "one");
    await recorded(store, recordOf("one"));
    assert.equal((await store.archive.archiveRun("one")).archived, true);
    assert.equal((await store.retention.deleteRun("one")).deleted, true);
    const [use] = await store.datasets.usesOf(acme(ORDERS));
    assert.deepEqual([use?.runId, use?.stepId], [null, "orders"]);
    assert.deepEqual(await store.datasets.listWrites(acme(ORDERS)), []);
  },

  "a name that cannot be stored is refused": async ({ store }) => {
    for (const name of ["", "a\u0000", "\ud800", "n".repeat(256)])
      await refusedInput(store.datasets.usesOf({ ...acme(ORDERS), name }), "OPTION_INVALID", "name");
    await refusedInput(store.datasets.listDatasets({ tenantId: "acme", limit: 0 }), "OPTION_INVALID", "limit");
  },
});
