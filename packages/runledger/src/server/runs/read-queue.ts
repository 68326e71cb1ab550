/** The queue as a tenant sees it: why each of its runs does not run. */
import type { QueueEntry } from "@runledger/contracts";
import type { Ledger } from "../../ledger/ledger.js";
import { reasonText } from "../../queue/reason-text.js";
import type { QueueAnswer } from "../../queue/ledger-queue.js";

interface Page {
  readonly tenantId: string;
  readonly after: string | undefined;
  readonly limit: number;
}

export async function readQueue(ledger: Ledger, { tenantId, after, limit }: Page) {
  const place = after === undefined ? {} : { afterRunId: after };
  const entries = await ledger.queue.list({ tenantId, ...place, limit: limit + 1 });
  const page = entries.slice(0, limit);
  const answers = await Promise.all(page.map((entry) => standing(ledger, entry)));
  const counts = (await ledger.queue.counts()).find((each) => each.tenantId === tenantId);
  const { queued, running, waiting } = counts ?? { queued: 0, running: 0, waiting: 0 };
  return {
    items: answers.filter(({ where }) => where !== "ended").map(shown),
    next: entries.length > limit ? page.at(-1)!.runId : null,
    counts: { queued, running, waiting },
  };
}

export async function readQueuedRun(ledger: Ledger, runId: string, tenantId: string) {
  return shown(await ledger.queue.why(runId, { tenantId }));
}

/** Whoever has a run that runs knows no reason: nobody has to look for one. */
async function standing(ledger: Ledger, entry: QueueEntry): Promise<QueueAnswer> {
  const { runId, owner, slot, tenantId } = entry;
  if (owner === null) return ledger.queue.why(runId, { tenantId });
  return { runId, where: slot ? "running" : "answering", reasons: [], position: null, expectedAt: null, entry };
}

const NOTHING = {
  position: null,
  expectedAt: null,
  planId: "",
  planVersion: "",
  projectId: "",
  concurrencyKey: null,
  priority: 0,
  queuedAt: null,
  startedAt: null,
  dueAt: null,
  owner: null,
};

function shown(answer: QueueAnswer) {
  const { runId, where } = answer;
  if (answer.where === "ended") return { runId, where, reasons: [], ...NOTHING };
  const { reasons, position, expectedAt } = answer;
  const { planId, planVersion, projectId, concurrencyKey, priority, queuedAt, startedAt, dueAt, owner } = answer.entry;
  const place = { planId, planVersion, projectId, concurrencyKey, priority, queuedAt, startedAt, dueAt, owner };
  return {
    runId,
    where,
    reasons: reasons.map((each) => ({ ...each, text: reasonText(each) })),
    position,
    expectedAt,
    ...place,
  };
}
