/** The only workflow: one execution per run. With a queue, it drives the run whenever the dispatcher grants it an epoch. */
import {
  ApplicationFailure,
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  setHandler,
} from "@temporalio/workflow";
import { GRANT, type Grant, type RunInput } from "../messages.js";
import { ledger } from "./activity-proxies.js";
import { driveDirectly } from "./direct-run.js";
import { HistoryLimit } from "./history-limit.js";
import { RunExecution } from "./run-execution.js";
import { provideCrypto } from "./sandbox-crypto.js";

const grantSignal = defineSignal<[Grant]>(GRANT);

export async function runledgerRun(input: RunInput): Promise<void> {
  provideCrypto();
  await (input.isDirect === true ? driveDirectly(input) : driveGranted(input));
}

async function driveGranted({ runId, settings, grant }: RunInput): Promise<void> {
  const limit = new HistoryLimit(settings);
  let latest: Grant | null = grant ?? null;
  setHandler(grantSignal, (next) => {
    if (latest === null || isNewer(next, latest)) latest = next;
  });
  for (let driven = 0; ;) {
    await condition(() => latest !== null && latest.epoch > driven);
    const first = latest!;
    const { epoch } = first;
    driven = epoch;
    try {
      const loaded = await ledger.load({ runId });
      const execution = new RunExecution({ runId, settings, limit, loaded, first, grant: () => latest! });
      const outcome = await execution.drive();
      if (outcome === "full") await continueAsNew<typeof runledgerRun>({ runId, settings, grant: latest! });
      if (outcome === "ended" && latest!.epoch === epoch) return;
    } catch (error) {
      if (!isStaleLease(error)) throw error;
      if (latest!.epoch === epoch) return; // another engine owns the run; a later grant starts another execution
    }
  }
}

function isNewer(next: Grant, latest: Grant): boolean {
  return next.epoch > latest.epoch || (next.epoch === latest.epoch && next.wakes > latest.wakes);
}

function isStaleLease(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === "STALE_LEASE";
}
