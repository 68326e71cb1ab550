/** Runs that are there so that there is something to see: once per name and store, however often `dev` starts. */
import { InputError, StopError } from "@runledger/contracts";
import type { SampleRun } from "../config/define-config.js";
import type { Project } from "../config/load-project.js";
import type { Ledger } from "../ledger/ledger.js";
import { SignalRejectedError } from "../ledger/signals.js";
import { compiledOf } from "../workflow/compiled-workflow.js";

export interface StartedSample extends SampleRun {
  readonly runId: string;
  /** False = an earlier `dev` started it. */
  readonly created: boolean;
}

export async function startSamples(ledger: Ledger, { config, workflows }: Project): Promise<StartedSample[]> {
  const started: StartedSample[] = [];
  for (const sample of config.samples ?? []) {
    const found = workflows.findLast(({ workflow }) => workflow.id === sample.workflow);
    if (found === undefined) throw unknownWorkflow(sample);
    const options = { requestId: `sample-${sample.name}`, labels: { sample: sample.name } };
    const run = await ledger.startCompiled(compiledOf(found.workflow), sample.input, options).catch(unlessChanged);
    if (run?.created === true) await steer(ledger, run.runId, sample);
    if (run !== null) started.push({ ...sample, ...run });
  }
  return started;
}

/** Its input was another one when it was started: then that is the sample, and stays it. */
function unlessChanged(error: unknown): null {
  if (error instanceof StopError && error.code === "REQUEST_CHANGED") return null;
  throw error;
}

/** A sample that nobody steered to its end is still a sample: it must not keep `dev` from starting. */
async function steer(ledger: Ledger, runId: string, { actions = [], signals = {} }: SampleRun): Promise<void> {
  try {
    for (const action of actions) await ledger.act(runId, action, { signalId: `sample-${action}` });
    for (const [name, payload] of Object.entries(signals))
      await ledger.signal(runId, name, payload, { signalId: `sample-${name}` });
  } catch (error) {
    if (!(error instanceof SignalRejectedError)) throw error;
  }
}

function unknownWorkflow({ name, workflow }: SampleRun): InputError {
  return new InputError("CONFIG_INVALID", `samples.${name}`, `no workflow of this project is called ${workflow}.`);
}
