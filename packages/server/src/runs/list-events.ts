import { z } from "zod";
import { omitUndefined, type CanonicalEngineEvent } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { integerParam, limitParam, pageOf, seqNumber } from "../http/schemas.js";
import { readEventPage } from "../streams/event-page.js";
import { withoutPayloads } from "../streams/without-payloads.js";
import { event, payloads } from "./event-schema.js";
import { byRun, findRun } from "./find-run.js";

const eventPage = pageOf("EventPage", event)
  .extend({
    settledSeq: seqNumber.optional().meta({
      description:
        "Numbers up to this one that are missing after `after` stay missing. Absent if none is missing. The default " +
        "append authority leaves no gaps.",
    }),
  })
  .meta({ id: "EventPage" });
/** With payloads, as the store returns them. Larger pages would delay the requests of other callers. */
const MAX_BYTES = 1024 * 1024;

export const listEvents = route({
  method: "GET",
  path: "/runs/{runId}/events",
  operationId: "listEvents",
  tag: "runs",
  summary: "List the events of a run",
  description:
    "Returns the run's log in order of seq. A page ends after 1 MB of events with their payloads, so it can have fewer than " +
    "`limit` events. Read on with `next` until it is `null`.",
  role: "viewer",
  isLargeRead: true,
  params: byRun,
  query: z.strictObject({
    after: integerParam(0).optional().meta({ description: "Only events with a higher seq. Defaults to 0." }),
    limit: limitParam(1000, 200),
    payloads,
  }),
  responses: { 200: { description: "A page of events", schema: eventPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, store }) => {
    const { after = 0, limit = 200 } = query;
    const { headSeq } = await findRun(store, runId);
    const { events, texts } = await readEventPage(store, runId, { afterSeq: after, limit, maxBytes: MAX_BYTES });
    const last = events.at(-1)?.runSeq ?? headSeq;
    const next = last < headSeq ? String(last) : null;
    const page = omitUndefined({ next, settledSeq: settledSeqOf(after, events) });
    if (query.payloads === false) return ok({ items: events.map(withoutPayloads), ...page });
    const body = `{"items":[${texts.join(",")}],${JSON.stringify(page).slice(1)}`; // each event is serialized once
    return ok(body, { "content-type": "application/json; charset=utf-8" });
  },
});

/** The last missing number. A store returns no event after a gap that may still fill, so it stays missing (F6, P10). */
function settledSeqOf(after: number, events: readonly CanonicalEngineEvent[]): number | undefined {
  const next = events.findLast(({ runSeq }, index) => runSeq > (events[index - 1]?.runSeq ?? after) + 1);
  return next === undefined ? undefined : next.runSeq - 1;
}
