import assert from "node:assert/strict";
import { eventTypes, RunledgerError } from "@runledger/contracts";
import { clause } from "../clause.js";
import { assertRefused, BAD_RUN, badEvent } from "../support/bad-events.js";
import { logOf, stepOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

const faults: Readonly<Record<string, unknown>> = {
  "that is empty": "",
  "of 256 characters": "x".repeat(256),
  "with a `|` in it": "a|b",
  "with a NUL in it": "a\u0000b",
  "with a line break in it": "a\nb",
  "with a DEL in it": "a\u007f",
  "with a C1 control character in it": "a\u0085b",
  "with half a surrogate pair in it": "a\ud800b",
  "with the other half in it": "a\udc00",
  "that is a number": 7,
  "that is null": null,
  "that is an object": { toString: () => "load" },
};

const fields = [
  "runId",
  "stepId",
  "eventType",
  "logicalAttemptId",
  "planVersion",
  "planId",
  "engineAttemptId",
  "causedBySignalId",
  "adapterVersion",
];

/** K3, on every field that is an identifier. */
export const badIdentifiers = clause("bad-identifiers", [], {
  ...Object.fromEntries(
    Object.entries(faults).map(([what, value]) => [
      `K3: an identifier ${what} is refused`,
      async ({ store }) => {
        const [first = "", ...rest] = fields;
        await assertRefused(store, { event: badEvent({ [first]: value }), code: "IDENTIFIER_INVALID", field: first });
        for (const field of rest) {
          const call = store.appendEvent(badEvent({ [field]: value }));
          await refusedInput(call, "IDENTIFIER_INVALID", `event.${field}`);
        }
        assert.equal((await logOf(store, BAD_RUN)).length, 3);
      },
    ]),
  ),

  "K1: a step named RUN is refused: it would have the run's own key": async ({ store }) => {
    const event = badEvent({ stepId: "RUN", eventType: "RunStarted" });
    await assertRefused(store, { event, code: "IDENTIFIER_INVALID", field: "stepId" });
  },

  "K2: a step's attempt is a number from 1": async ({ store }) => {
    for (const logicalAttemptId of ["0", "-1", "01", "1.5", "first", "1e3", " 1"]) {
      const call = store.appendEvent(badEvent({ logicalAttemptId }));
      await refusedInput(call, "EVENT_INVALID", "event.logicalAttemptId");
    }
    assert.deepEqual(await store.listHeads(), []);
  },

  "K2: a step's event names its step": async ({ store }) => {
    for (const eventType of eventTypes.filter((type) => /^Step(Started|Completed|Failed|Skipped)$/.test(type)))
      await refusedInput(
        store.appendEvent(badEvent({ eventType, stepId: undefined })),
        "EVENT_INVALID",
        "event.stepId",
      );
    assert.deepEqual(await store.listHeads(), []);
  },

  "K3: `/`, spaces, dots and other scripts are fine": async ({ store }) => {
    const stepIds = ["container/1/step", "with space", "a.b-c_d:e", "日本", "🜁", "~", "'"];
    await store.appendEvents(stepIds.map((stepId) => stepOf(BAD_RUN, stepId)));
    assert.deepEqual(
      (await logOf(store, BAD_RUN)).map((event) => event.stepId),
      stepIds,
    );
  },

  "K3: a tenant's name is an identifier": async ({ store }) => {
    for (const tenantId of ["", "a|b", "a\u0000b", "\ud800", "x".repeat(256)])
      await refusedInput(
        Promise.resolve().then(() => store.forTenant(tenantId)),
        "IDENTIFIER_INVALID",
        "tenantId",
      );
  },

  "K3: reading an impossible id is refused or finds nothing": async ({ store }) => {
    await store.appendEvent(stepOf(BAD_RUN, "s1"));
    for (const runId of ["", "a|b", "a\u0000b", "\ud800"]) {
      await refusedInput(store.fetchEvents(runId), "IDENTIFIER_INVALID", "runId");
      await refusedInput(store.fetchByKeys(runId, []), "IDENTIFIER_INVALID", "runId");
      await refusedInput(store.getSnapshot(runId), "IDENTIFIER_INVALID", "runId");
      await refusedInput(store.projectSnapshot(runId), "IDENTIFIER_INVALID", "runId");
      await assertHarmless(store.fetchHeads([runId, BAD_RUN]), [BAD_RUN]);
    }
    await assertHarmless(store.fetchByKeys(BAD_RUN, ["a\u0000b", "\ud800"]), []);
  },
});

/** The call must find these runs or refuse its input. It must not fail with an error of the store. */
async function assertHarmless(call: Promise<readonly { readonly runId: string }[]>, found: string[]): Promise<void> {
  try {
    const answer = await call;
    assert.deepEqual(
      answer.map(({ runId }) => runId),
      found,
    );
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
    assert.equal(error.family, "fix-input", error.message);
  }
}
