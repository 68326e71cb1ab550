/**
 * Reads for decisions on a store whose append authority leaves gaps (P10). A decision needs everything up to the head, so it
 * does not wait until a gap fills: it settles the gap. A writer that still holds a number of the gap gets another one. On other
 * stores these functions read once, like every reader.
 */
import type { CanonicalEngineEvent, StateStore } from "@runledger/contracts";

type Settled = Pick<StateStore, "settling" | "fetchHeads">;

/** Streams the log up to its head. */
export async function* wholeLog(
  store: Settled & Pick<StateStore, "streamEvents">,
  runId: string,
  afterSeq = 0,
): AsyncGenerator<CanonicalEngineEvent> {
  let last = afterSeq;
  const rest = async function* (): AsyncGenerator<CanonicalEngineEvent> {
    for await (const event of store.streamEvents(runId, { afterSeq: last })) {
      last = event.runSeq;
      yield event;
    }
  };
  yield* rest();
  if (await settleAbove(store, runId, last)) yield* rest();
}

/** Fetches the next events of the log, at most `limit`. Fewer only if the log has no more. */
export async function fetchWhole(
  store: Settled & Pick<StateStore, "fetchEvents">,
  runId: string,
  page: { readonly afterSeq: number; readonly limit: number },
): Promise<CanonicalEngineEvent[]> {
  const events = await store.fetchEvents(runId, page);
  if (events.length === page.limit) return events;
  const isSettled = await settleAbove(store, runId, events.at(-1)?.runSeq ?? page.afterSeq);
  return isSettled ? store.fetchEvents(runId, page) : events;
}

/** Settles the gaps between `seq` and the head. Returns `false` if there is nothing to settle. */
async function settleAbove(store: Settled, runId: string, seq: number): Promise<boolean> {
  if (store.settling === undefined) return false;
  const [head] = await store.fetchHeads([runId]);
  if (head === undefined || head.headSeq <= seq) return false;
  await store.settling.settleSeq({ runId, seq: head.headSeq });
  return true;
}
