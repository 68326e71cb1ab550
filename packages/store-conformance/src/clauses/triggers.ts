import assert from "node:assert/strict";
import { MAX_REJECTIONS, type StateStore, type TriggerDefinition } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refusedInput } from "../support/refused.js";

type WithTriggers = StateStore & Required<Pick<StateStore, "triggers">>;

const NAME = { tenantId: "acme", triggerId: "orders" };
const definition: TriggerDefinition = {
  source: { type: "webhook", secrets: ["key"] },
  workflow: "orders",
  filter: 'event.type == "é"',
  labels: { team: '"a|b"' },
  projectId: "default",
  environmentId: "default",
  priority: 0,
  maxAttempts: 3,
};

const create = ({ triggers }: WithTriggers, triggerId = "orders", type = "webhook", tenantId = "acme") =>
  triggers.createTrigger({
    tenantId,
    triggerId,
    definition: { ...definition, source: { type, secrets: ["key"] } },
    startsAt: null,
  });

const rejectionOf = (eventId: string | null, message = "refused") => ({ eventId, position: message, message });
const isRecent = (time: string | null | undefined): boolean =>
  Math.abs(Date.parse(time ?? "") - Date.now()) < 3_600_000;

/** Triggers as data, with counters that processes report. */
export const triggers = clause("triggers", ["triggers"], {
  "a trigger is read back as it was created, also by another process": async ({ store, another }) => {
    const created = await create(store);
    assert.deepEqual(await (await another()).triggers!.getTrigger(NAME), created);
    assert.deepEqual(created?.definition, definition);
    const { startsAt, pausedAt, started, rejected, failures, lastError, lastEventAt, lastRunId, rejections } = created;
    assert.deepEqual([startsAt, pausedAt, lastError, lastEventAt, lastRunId], [null, null, null, null, null]);
    assert.deepEqual([started, rejected, failures, rejections], [0, 0, 0, []]);
    assert.ok(isRecent(created.createdAt), created.createdAt);
    assert.equal(await create(store), null, "the name is taken");
    const later = await store.triggers.createTrigger({ ...NAME, triggerId: "later", definition, startsAt: "now" });
    assert.ok(isRecent(later?.startsAt));
  },

  "triggers are listed by id, and each tenant has its own": async ({ store }) => {
    for (const id of ["b", "B", "a", "c"]) await create(store, id);
    const ids = async (page: { tenantId: string; afterId?: string; limit?: number }) =>
      (await store.triggers.listTriggers(page)).map(({ triggerId }) => triggerId);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["B", "a", "b", "c"]);
    assert.deepEqual(await ids({ tenantId: "acme", afterId: "B", limit: 2 }), ["a", "b"]);
    assert.deepEqual(await ids({ tenantId: "other" }), []);
    const other = { tenantId: "other", triggerId: "a" };
    assert.equal(await store.triggers.getTrigger(other), null);
    assert.equal(await store.triggers.pauseTrigger(other, true), null);
    assert.equal(await store.triggers.changeTrigger(other, definition), null);
    assert.equal(await store.triggers.removeTrigger(other), false);
    await store.triggers.reportEvents(other, { started: 1 });
    await store.triggers.reportSource(other, "down");
    assert.equal((await store.triggers.getTrigger({ ...NAME, triggerId: "a" }))?.started, 0);
    assert.equal(await store.triggers.removeTrigger({ ...NAME, triggerId: "a" }), true);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["B", "b", "c"]);
  },

  "consumers list the active triggers of their sources, of all tenants": async ({ store }) => {
    await create(store, "a", "kafka");
    await create(store, "b", "webhook");
    await create(store, "c", "redis", "beta");
    await create(store, "d", "kafka");
    await store.triggers.pauseTrigger({ ...NAME, triggerId: "d" }, true);
    const types = ["kafka", "redis"];
    const found = await store.triggers.listActive({ types });
    assert.deepEqual(
      found.map(({ triggerId }) => triggerId),
      ["a", "c"],
    );
    const [first] = await store.triggers.listActive({ types, limit: 1 });
    const [second] = await store.triggers.listActive({ types, after: first! });
    assert.deepEqual([first?.triggerId, second?.triggerId], ["a", "c"]);
  },

  "a changed definition has another version, and a pause has a time": async ({ store }) => {
    const created = await create(store);
    const changed = await store.triggers.changeTrigger(NAME, { ...definition, maxAttempts: 9 });
    assert.equal(changed?.definition.maxAttempts, 9);
    assert.notEqual(changed?.version, created?.version);
    const paused = await store.triggers.pauseTrigger(NAME, true);
    assert.ok(isRecent(paused?.pausedAt));
    assert.deepEqual(await store.triggers.pauseTrigger(NAME, true), paused);
    assert.equal((await store.triggers.pauseTrigger(NAME, false))?.pausedAt, null);
  },

  "reports of several processes add up": async ({ store, another }) => {
    await create(store);
    const other = (await another()).triggers!;
    await Promise.all(
      [store.triggers, other].map((each) => each.reportEvents(NAME, { started: 2, repeated: 1, lastRunId: "run-1" })),
    );
    await store.triggers.reportEvents(NAME, { skipped: 3 });
    const { started, repeated, skipped, rejected, lastRunId, lastEventAt } = (await store.triggers.getTrigger(NAME))!;
    assert.deepEqual([started, repeated, skipped, rejected, lastRunId], [4, 2, 3, 0, "run-1"]);
    assert.ok(isRecent(lastEventAt));
  },

  "the last rejected events are kept, one entry per event": async ({ store }) => {
    await create(store);
    const reject = (eventId: string | null, message?: string) =>
      store.triggers.reportEvents(NAME, { rejected: 1, rejections: [rejectionOf(eventId, message)] });
    for (let n = 0; n < MAX_REJECTIONS + 5; n++) await reject(`event-${n}`);
    await reject("event-10", "again");
    await reject(null, "unreadable");
    await reject(null, "no id");
    await reject(null, "no id");
    await store.triggers.reportEvents(NAME, { started: 1 });
    const { rejections, rejected, lastError } = (await store.triggers.getTrigger(NAME))!;
    assert.equal(rejections.length, MAX_REJECTIONS);
    assert.deepEqual(
      rejections.slice(0, 4).map(({ eventId, message }) => [eventId, message]),
      [
        [null, "no id"],
        [null, "unreadable"],
        ["event-10", "again"],
        [`event-${MAX_REJECTIONS + 4}`, "refused"],
      ],
    );
    assert.equal(rejections.filter(({ eventId }) => eventId === "event-10").length, 1);
    assert.ok(isRecent(rejections[0]?.at));
    assert.deepEqual([rejected, lastError?.message], [MAX_REJECTIONS + 9, "no id"]);
  },

  "failures of the source are counted until it is available again": async ({ store }) => {
    await create(store);
    await store.triggers.reportSource(NAME, "refused");
    await store.triggers.reportSource(NAME, "still refused");
    const down = (await store.triggers.getTrigger(NAME))!;
    assert.deepEqual([down.failures, down.lastError?.message], [2, "still refused"]);
    await store.triggers.reportSource(NAME, null);
    const up = (await store.triggers.getTrigger(NAME))!;
    assert.deepEqual([up.failures, up.lastError?.message], [0, "still refused"]);
  },

  "K3: wrong names and definitions that are too large are refused": async ({ store }) => {
    const bad = { ...NAME, triggerId: "a|b" };
    await refusedInput(store.triggers.getTrigger(bad), "IDENTIFIER_INVALID", "triggerId");
    await refusedInput(store.triggers.removeTrigger(bad), "IDENTIFIER_INVALID", "triggerId");
    const large = { ...definition, input: "x".repeat(100_000) };
    const call = store.triggers.createTrigger({ ...NAME, definition: large, startsAt: null });
    await refusedInput(call, "PAYLOAD_TOO_LARGE", "definition");
  },
});
