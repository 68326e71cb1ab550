/** The recorded histories, as the tests read them. */
import { filesBelow, inRepository, readJson } from "../../scripts/lib/repository.mjs";
import type { History } from "../histories/replay.mjs";

const historyFiles = filesBelow("tests/histories").filter((path) => path.endsWith(".json"));

export const histories: readonly History[] = historyFiles.map((path) => readJson(inRepository(path)) as History);

/** The same history with one thing recorded otherwise: whoever replays it must notice. */
export const planted: Readonly<Record<string, (history: History) => History>> = {
  "a decision that was not made": (history) => ({
    ...history,
    decisions: [[{ type: "cancelChild", childRunId: "run-0" }], ...history.decisions.slice(1)],
  }),
  "another end": (history) => ({ ...history, state: "0".repeat(64) }),
  "an event that did not happen": (history) => ({ ...history, events: history.events.toSpliced(2, 1) }),
  "another plan": (history) => ({ ...history, plan: { ...history.plan, approval: !history.plan.approval } }),
};
