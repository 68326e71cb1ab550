import { z } from "zod";
import type { DeadLetter } from "@runledger/contracts";
import { identifier, instant, seqNumber } from "../http/schemas.js";

export const byDeadLetter = z.object({ subscriptionId: identifier, runId: identifier });

export const deadLetterFields = {
  subscriptionId: z.string(),
  runId: z.string(),
  runSeq: seqNumber.meta({ description: "Number of the event in its run." }),
  deadAt: instant.meta({ description: "Time of the last attempt." }),
  attempts: z.int(),
  error: z.string().meta({ description: "Error of the last attempt." }),
};

export function toDeadLetterBody<T extends DeadLetter>({ tenantId: _, ...letter }: T) {
  return letter;
}
