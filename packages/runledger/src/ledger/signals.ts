import { newEvent, RunNotFoundError, type FullStateStore, type Json } from "@runledger/contracts";
import { randomId } from "./start-run.js";

export interface SendOptions {
  /** Makes the send idempotent. Default: an id of its own. */
  readonly signalId?: string;
  readonly by?: string;
}

/** A signal of the user's own: kept until a wait takes it (G1). The run becomes claimable with it (O2). */
export function sendSignal(
  store: FullStateStore,
  runId: string,
  name: string,
  payload: Json,
  options: SendOptions = {},
): Promise<void> {
  return accept(store, runId, { namespace: "signal", name, payload }, options);
}

/** An operator's action. */
export function sendAction(
  store: FullStateStore,
  runId: string,
  name: string,
  options: SendOptions & { readonly stepId?: string } = {},
): Promise<void> {
  const { stepId } = options;
  return accept(store, runId, { namespace: "action", name, ...(stepId === undefined ? {} : { stepId }) }, options);
}

async function accept(
  store: FullStateStore,
  runId: string,
  data: Readonly<Record<string, Json>>,
  options: SendOptions,
): Promise<void> {
  const [first] = await store.fetchEvents(runId, { limit: 1 });
  if (first === undefined) throw new RunNotFoundError(runId);
  const { signalId = randomId("sig"), by } = options;
  const event = newEvent({
    runId,
    planVersion: first.planVersion ?? "",
    ...(first.planId === undefined ? {} : { planId: first.planId }),
    eventType: "SignalAccepted",
    logicalAttemptId: signalId,
    eventData: { ...data, ...(by === undefined ? {} : { by }) },
  });
  await store.appendEvents([event], { mustExist: true, wakes: [runId] });
}
