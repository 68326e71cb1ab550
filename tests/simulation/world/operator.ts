/** Whoever starts runs, sends them signals and acts on them. Patient: what fails is sent again, under the same id. */
import { RetryError, RunledgerError } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import type { Ledger } from "../../../packages/runledger/src/ledger/ledger.js";
import type { VirtualTime } from "../../../packages/runledger/src/testing/virtual-time.js";
import type { GeneratedPlan } from "./generated-plan.js";
import type { Random } from "./random.js";

export interface OperatorParts {
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  readonly draw: Random;
  readonly plan: GeneratedPlan;
}

/** What is sent to one run, and when. */
type Sending = { readonly afterMs: number; readonly send: () => Promise<unknown> };

/** Starts a run and sends it what it will need, and what it does not expect. */
export async function operate(parts: OperatorParts, runId: string): Promise<void> {
  const { time, ledger, draw, plan } = parts;
  const sendings = [...signals(parts, runId), ...actions(parts, runId)].sort((a, b) => a.afterMs - b.afterMs);
  await pass(time, draw.between(0, 2000));
  await insist(time, () => ledger.start(plan.workflow, undefined as never, { runId, requestId: runId }));
  const began = time.now();
  for (const { afterMs, send } of sendings) {
    await pass(time, Math.max(0, began + afterMs - time.now()));
    await insist(time, send);
  }
}

function signals({ ledger, draw, plan }: OperatorParts, runId: string): Sending[] {
  return [...plan.signals].flatMap(([name, count]) =>
    Array.from({ length: count + draw.below(2) }, (_, place) => {
      const signalId = `${name}-${place}`;
      return {
        afterMs: draw.chance(0.3) ? 0 : draw.between(0, 9000),
        send: () => ledger.signal(runId, name, { place }, { signalId }),
      };
    }),
  );
}

function actions(parts: OperatorParts, runId: string): Sending[] {
  const { ledger, draw, plan } = parts;
  const act = (afterMs: number, action: string, place = 0, stepId?: string): Sending => {
    const options = { signalId: `${action}-${place}`, ...(stepId === undefined ? {} : { stepId }) };
    return { afterMs, send: () => ledger.act(runId, action, options) };
  };
  const sent: Sending[] = [];
  if (plan.compiled.plan.approval) sent.push(act(draw.between(0, 3000), "APPROVE"));
  for (let place = 0; draw.chance(0.2) && place < 2; place++) {
    const at = draw.between(0, 8000);
    sent.push(act(at, "PAUSE", place), act(at + draw.between(0, 3000), "RESUME", place));
  }
  if (draw.chance(0.15)) sent.push(act(draw.between(0, 12_000), "CANCEL"));
  const paths = [...indexPlan(plan.compiled.plan).keys()].filter((path) => !path.includes("/"));
  for (let place = 0; draw.chance(0.25) && place < 3; place++) {
    sent.push(act(draw.between(0, 8000), draw.pick(["RETRY_STEP", "SKIP_STEP"]), place, draw.pick(paths)));
  }
  if (draw.chance(0.1)) sent.push(act(draw.between(0, 8000), "RETRY_RUN"));
  return sent;
}

function pass(time: VirtualTime, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve));
}

/** A refusal is an answer too. */
async function insist(time: VirtualTime, send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await send());
    } catch (error) {
      if (!(error instanceof RunledgerError)) throw error;
      if (!(error instanceof RetryError)) return;
      await pass(time, 100);
    }
  }
}
