import { isDeepStrictEqual } from "node:util";
import { readEventData, type FullStateStore, type RunHead, type StepRow, type TenantStore } from "@runledger/contracts";
import { alignSteps } from "./align-steps.js";
import { readHeader, readSteps } from "./read-run.js";

const MAX_STEPS = 20_000;
const PAGE_SIZE = 1000;

/** Compares two runs step by step, up to 20,000 steps of each. */
export async function compareRuns(store: FullStateStore, tenant: TenantStore, heads: readonly [RunHead, RunHead]) {
  const [one, other] = await Promise.all(heads.map((head) => side(store, tenant, head)));
  const rows = alignSteps(one!.steps, other!.steps);
  const different = rows.filter(({ differs }) => differs.length > 0);
  return {
    one: one!.header,
    other: other!.header,
    sameInput: one!.queued && other!.queued ? isDeepStrictEqual(one!.queued.input, other!.queued.input) : null,
    samePlan: one!.header.planId === other!.header.planId && one!.header.planVersion === other!.header.planVersion,
    firstDifference: different[0]?.stepId ?? null,
    differences: different.length,
    compared: rows.length,
    complete: one!.complete && other!.complete,
    rows,
  };
}

async function side(store: FullStateStore, tenant: TenantStore, head: RunHead) {
  const header = await readHeader(store, head);
  const steps: StepRow[] = [];
  for (let more = true; more && steps.length < MAX_STEPS;) {
    const page = await readSteps(store, head, { afterOrdinal: steps.at(-1)?.ordinal ?? -1, limit: PAGE_SIZE });
    steps.push(...page);
    more = page.length === PAGE_SIZE;
  }
  const [first] = await tenant.fetchEvents(head.runId, { limit: 1 });
  const queued = first?.eventType === "RunQueued" ? readEventData("RunQueued", first.eventData) : null;
  return { header, steps, complete: header.stepCount <= steps.length, queued };
}
