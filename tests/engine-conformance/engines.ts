/** The engines under test, each with one worker that runs the workflows of all behaviors. */
import { connect, type Ledger, type LedgerWorkerOptions, type StepProgress } from "runledger";
import { SECRET, type EngineUnderTest } from "./behavior.js";

const secrets = {
  resolve: async () => ({ [SECRET.name]: SECRET.value }),
  known: () => ({ [SECRET.name]: SECRET.value }),
};

/** Starts a worker on this store. Closing the ledger stops it. */
export async function startEngine(url: string, options: LedgerWorkerOptions): Promise<EngineUnderTest> {
  return startWorker(await connect(url), options);
}

export async function startWorker(ledger: Ledger, options: LedgerWorkerOptions): Promise<EngineUnderTest> {
  const progress: StepProgress[] = [];
  await ledger.worker({ pollMs: 20, secrets, onProgress: (each) => void progress.push(each), ...options });
  return { ledger, progress };
}
