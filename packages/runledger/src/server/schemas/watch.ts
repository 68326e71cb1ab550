/** Several runs and lists in one stream. */
import { z } from "zod";
import { problem } from "./problem.js";
import { bulkFilter, listChange, listSnapshot } from "./run-list.js";
import { identifier, seq } from "./values.js";

const MOST_RUNS = 50;
const MOST_LISTS = 20;
const PLACE_CHARACTERS = 100;

/** What a reader may ask of one stream is bounded: so is what may wait for it. */
function atMost<T extends z.ZodRecord>(most: number, what: string, record: T) {
  const message = `must name at most ${most} ${what}; open another stream for more.`;
  return record.refine((value) => Object.keys(value).length <= most, message).meta({ maxProperties: most });
}

const watchedList = z.strictObject({
  filter: bulkFilter.optional().meta({ description: "Absent = all runs" }),
  after: z.string().max(PLACE_CHARACTERS).optional().meta({ description: "The `place` of the list's last message" }),
});

export const watchRequest = z
  .strictObject({
    runs: atMost(MOST_RUNS, "runs", z.record(identifier, seq))
      .optional()
      .meta({ description: "Each with the seq behind which its events begin; 0 = all of them" }),
    lists: atMost(MOST_LISTS, "lists", z.record(identifier, watchedList))
      .optional()
      .meta({ description: "Each under a name by which its messages say whose they are" }),
    payloads: z
      .boolean()
      .optional()
      .meta({ description: "false = events without inputs, outputs, signal payloads, patches and state" }),
  })
  .meta({ id: "WatchRequest" });

const ofList = {
  list: z.string(),
  place: z.string().meta({ description: "What `after` has to be to go on from here" }),
};

export const watchedSnapshot = listSnapshot.extend(ofList).meta({ id: "WatchedListSnapshot" });

export const watchedChange = listChange.extend(ofList).meta({ id: "WatchedListChange" });

export const refusedRun = z
  .object({ runId: z.string(), problem })
  .meta({ id: "RefusedRun", description: "A run that cannot be watched; the others are" });
