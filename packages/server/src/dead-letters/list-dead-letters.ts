import { z } from "zod";
import { InputError, omitUndefined, type DeadLetter } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, limitParam, pageOf } from "../http/schemas.js";
import { deadLetterFields, toDeadLetterBody } from "./dead-letter-schema.js";

const deadLetter = z.object(deadLetterFields).meta({
  id: "DeadLetter",
  description: "An event that the bus refused too often. Its run waits behind it until it is redriven or dropped.",
});

const deadLetterQuery = z.strictObject({
  subscription: identifier.optional().meta({ description: "Only dead letters of this subscription." }),
  after: z.string().max(600).optional().meta(afterParam),
  limit: limitParam(200, 100),
});

export const listDeadLetters = route({
  method: "GET",
  path: "/dead-letters",
  operationId: "listDeadLetters",
  tag: "subscriptions",
  summary: "List dead letters",
  description: "Returns the tenant's dead letters by subscription and run.",
  role: "viewer",
  query: deadLetterQuery,
  responses: { 200: { description: "A page of dead letters", schema: pageOf("DeadLetterPage", deadLetter) } },
  problems: [],
  handle: async ({ query: { subscription, after, limit = 100 }, caller: { tenantId }, api }) => {
    const place = after === undefined ? undefined : decodePlace(after);
    const filter = omitUndefined({ subscriptionId: subscription, after: place });
    const found = await api.ledger.subscriptions.deadLetters({ tenantId, ...filter, limit: limit + 1 });
    const items = found.slice(0, limit);
    return ok({
      items: items.map(toDeadLetterBody),
      next: found.length > limit ? encodePlace(items.at(-1)!) : null,
    });
  },
});

/** Ids contain no `|` (K3). */
function encodePlace({ subscriptionId, runId }: DeadLetter): string {
  return `${subscriptionId}|${runId}`;
}

function decodePlace(text: string): Pick<DeadLetter, "subscriptionId" | "runId"> {
  const parsed = z.tuple([identifier, identifier]).safeParse(text.split("|"));
  if (!parsed.success) throw new InputError("REQUEST_INVALID", "after", "must be the `next` of the previous page.");
  const [subscriptionId, runId] = parsed.data;
  return { subscriptionId, runId };
}
