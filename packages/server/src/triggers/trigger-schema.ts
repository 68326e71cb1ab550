import { z } from "zod";
import { InputError } from "@runledger/contracts";
import { viewTrigger, type TriggerView } from "@runledger/runtime/triggers/trigger-view";
import type { Api } from "../http/api.js";
import { identifier, instant } from "../http/schemas.js";

export const byTrigger = z.object({ triggerId: identifier });

const expression = z.string().min(1).max(10_000);

const sourceSettings = z.looseObject({ type: identifier }).meta({
  id: "SourceSettings",
  description:
    "The type of the source and its settings. A `webhook` has `secrets` (names of the keys that senders sign with) and `toleranceSeconds`.",
});

const count = (description: string) => z.int().meta({ description });

/** The parts of a trigger that a request defines. */
export const triggerFields = {
  source: sourceSettings,
  workflow: identifier.meta({ description: "Id of the workflow." }),
  version: identifier.optional().meta({ description: "Defaults to the version that was published last." }),
  filter: expression.optional().meta({
    description: 'CEL that selects events, as in `event.type == "order.created"`. Absent if every event starts a run.',
  }),
  input: expression.optional().meta({ description: "CEL that computes the input. Defaults to `event.data`." }),
  key: expression.optional().meta({
    description: "CEL that computes the key that has one run. Defaults to the source and the id of the event.",
  }),
  labels: z
    .record(identifier, expression)
    .optional()
    .meta({ description: "CEL that computes labels of the run, by name." }),
  concurrencyKey: expression
    .optional()
    .meta({ description: "CEL that computes the key of runs that run one at a time." }),
};

export const trigger = z
  .object({
    triggerId: z.string(),
    ...triggerFields,
    projectId: z.string(),
    environmentId: z.string(),
    priority: z.int(),
    maxAttempts: count("Failed attempts after which an event of a broker is rejected."),
    startsAt: instant
      .nullable()
      .meta({ description: "Events that a broker stored earlier start no run. `null` if all do." }),
    createdAt: instant,
    state: z.enum(["active", "paused", "unavailable"]).meta({
      description: "`unavailable` while the source cannot be reached. Events wait there and nothing is lost.",
    }),
    pausedAt: instant.nullable().meta({ description: "`null` if the trigger is not paused." }),
    started: count("Events that started a run."),
    repeated: count("Events whose run existed."),
    skipped: count("Events that the filter excluded."),
    rejected: count("Events that could not start a run."),
    lastEventAt: instant.nullable().meta({ description: "`null` if no event arrived." }),
    lastRunId: z.string().nullable().meta({ description: "The last run. `null` if there is none." }),
    failures: count("Consecutive attempts at which the source was unavailable."),
    lastError: z
      .object({ at: instant, message: z.string() })
      .nullable()
      .meta({ description: "The last error of the source or of an event. `null` if nothing failed." }),
    rejections: z
      .array(
        z.object({
          at: instant,
          eventId: z.string().nullable().meta({ description: "`null` if the message has no readable id." }),
          position: z.string().meta({ description: "Place of the event in its source." }),
          message: z.string(),
        }),
      )
      .meta({ description: "The last rejected events, newest first, at most 20." }),
  })
  .meta({ id: "Trigger", description: "Starts a run of the tenant for each event of a source." });

/** Throws TRIGGER_NOT_FOUND. */
export async function readTriggerOf({ ledger }: Api, tenantId: string, triggerId: string): Promise<TriggerView> {
  const found = await ledger.triggers.get(triggerId, { tenantId });
  if (found !== null) return viewTrigger(found);
  const message = `${triggerId} does not exist. List the triggers with GET /triggers.`;
  throw new InputError("TRIGGER_NOT_FOUND", "triggerId", message);
}
