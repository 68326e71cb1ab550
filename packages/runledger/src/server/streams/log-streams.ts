/** What the steps of a run print, as they print it. Each reader has its own place, and asks less often while it is quiet. */
import { setTimeout as sleep } from "node:timers/promises";
import { isTerminal } from "@runledger/core";
import type { Artifacts } from "@runledger/contracts";
import { placeText, readPlace } from "../runs/log-place-text.js";
import { readLogs, type LogQuery } from "../runs/read-logs.js";
import { frame, type SseConnection } from "./sse-connection.js";

const PAGE = 500;
const LEAST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 2000;

export interface WatchedLog extends LogQuery {
  readonly artifacts: Artifacts;
  /** The `id` of the last message, or the `next` of a page. */
  readonly after: string | undefined;
  /** The run's status as it is now. */
  readonly status: () => Promise<Parameters<typeof isTerminal>[0]>;
}

/** Sends what came after a place, then what comes, until the run has ended. */
export async function streamLog(watched: WatchedLog, to: SseConnection): Promise<void> {
  let place = readPlace(watched.after);
  let [pauseMs, hasEnded] = [LEAST_PAUSE_MS, false];
  while (to.isOpen) {
    const page = await readLogs(watched.artifacts, watched, { place, limit: PAGE });
    place = page.place;
    if (page.items.length > 0) {
      to.send(frame({ id: placeText(place), data: { lines: page.items } })); // one id for all: none comes twice
      await to.room();
      pauseMs = LEAST_PAUSE_MS;
      continue;
    }
    if (hasEnded) return finish(to);
    hasEnded = isTerminal(await watched.status()); // what was printed before the end is read by one more look
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS);
  }
}

function finish(to: SseConnection): void {
  to.send(frame({ event: "ended", data: {} }));
  to.end();
}
