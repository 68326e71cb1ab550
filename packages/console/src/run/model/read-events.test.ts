// @module-tag R-21
import type { RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { numbered, step } from "@runledger/test-support/given";
import { expect, test } from "vitest";
import { readEvents } from "./read-events.js";

const log = numbered([1, 2, 3, 4, 5].map((n) => step(`s${n}`, "Started")));

test("a range of events is read to its end, also if the server's pages have fewer events", async () => {
  const limits: number[] = [];
  const client = {
    listEvents: async (_: string, { after, limit }: { after: number; limit: number }) => {
      limits.push(limit);
      const items = log.filter(({ runSeq }: CanonicalEngineEvent) => runSeq > after).slice(0, Math.min(2, limit));
      return { items, next: String(after + items.length) };
    },
  } as unknown as RunledgerClient;
  const { events } = await readEvents(client, "r", { after: 1, limit: 3 });
  expect(events.map(({ runSeq }) => runSeq)).toEqual([2, 3, 4]);
  expect(limits).toEqual([3, 1]);
});
