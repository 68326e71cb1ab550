/** Starts the project's sample runs, once per name and store, no matter how often `dev` starts. */
import type { Action } from "@runledger/core";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import { InputError, StopError } from "@runledger/contracts";
import type { SampleRun } from "../../config/define-config.js";
import type { Project } from "../../config/load-project.js";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { SignalRejectedError } from "@runledger/runtime/runs/signals";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";

export interface StartedSample extends SampleRun {
  readonly runId: string;
  /** `false` if an earlier `dev` started it. */
  readonly created: boolean;
}

export async function startSamples(ledger: Ledger, { config, workflows }: Project): Promise<StartedSample[]> {
  const started: StartedSample[] = [];
  for (const sample of config.samples ?? []) {
    const found = workflows.findLast(({ workflow }) => workflow.id === sample.workflow);
    if (found === undefined) throw unknownWorkflow(sample);
    const options = { requestId: `sample-${sample.name}`, labels: { sample: sample.name } };
    const run = await internalsOf(ledger)
      .startCompiled(compiledOf(found.workflow), sample.input, options)
      .catch(ignoreChangedInput);
    if (run?.created === true) await sendActions(ledger, run.runId, sample);
    if (run !== null) started.push({ ...sample, ...run });
  }
  return started;
}

/** The sample was started with another input before. That run remains the sample. */
function ignoreChangedInput(error: unknown): null {
  if (error instanceof StopError && error.code === "REQUEST_CHANGED") return null;
  throw error;
}

/** A rejected action or signal does not prevent `dev` from starting. */
async function sendActions(ledger: Ledger, runId: string, { actions = [], signals = {} }: SampleRun): Promise<void> {
  try {
    for (const action of actions) await ledger.act(runId, action as Action, { signalId: `sample-${action}` });
    for (const [name, payload] of Object.entries(signals))
      await ledger.signal(runId, name, payload, { signalId: `sample-${name}` });
  } catch (error) {
    if (!(error instanceof SignalRejectedError)) throw error;
  }
}

function unknownWorkflow({ name, workflow }: SampleRun): InputError {
  return new InputError("CONFIG_INVALID", `samples.${name}`, `the project has no workflow ${workflow}.`);
}
