/** Refuses unknown options. TypeScript reports them, but JavaScript would silently ignore a misspelled one. */
import { InputError } from "@runledger/contracts";
import { checkStateStoreOptions, type SpoolOptions, type StateStoreOptions } from "../engine/budget/budget-options.js";
import type { Engine } from "../engine/engine.js";
import type { WorkerOptions } from "../engine/worker.js";
import { nearest } from "../yaml/nearest.js";
import type { LedgerOptions } from "./ledger.js";

/** A record, so that the compiler reports an option that is missing here. */
const WORKER: Readonly<Record<keyof Omit<WorkerOptions, "workflows">, true>> = {
  concurrency: true,
  tenants: true,
  perTenant: true,
  leaseMs: true,
  pollMs: true,
  checkpointInterval: true,
  stateStore: true,
  onFault: true,
  onAlert: true,
  metrics: true,
  runners: true,
  secrets: true,
  connections: true,
  environment: true,
  commandGraceMs: true,
  allowPublished: true,
  onProgress: true,
};

const LEDGER: Readonly<Record<keyof LedgerOptions, true>> = {
  authorization: true,
  engine: true,
  timers: true,
  metrics: true,
  logger: true,
  retryForMs: true,
  encryption: true,
  artifacts: true,
  alerts: true,
};

const STATE_STORE: Readonly<Record<keyof StateStoreOptions, true>> = {
  writeLatencyBudgetMs: true,
  failOpenForEventClass: true,
  neverFailOpen: true,
  spool: true,
};

const SPOOL: Readonly<Record<keyof SpoolOptions, true>> = { folder: true, maxBytes: true, maxRecords: true };

/** The options of a worker that the configuration of a project can set. */
export const workerOptionNames: readonly string[] = Object.keys(WORKER);

export function checkWorkerOptions(options: Pick<WorkerOptions, "checkpointInterval" | "stateStore">): void {
  refuseUnknown("ledger.worker", options, ["workflows", "published", "engine", ...workerOptionNames]);
  const { checkpointInterval = 1, stateStore = {} } = options;
  refuseUnknown("ledger.worker.stateStore", stateStore, Object.keys(STATE_STORE));
  refuseUnknown("ledger.worker.stateStore.spool", stateStore.spool ?? {}, Object.keys(SPOOL));
  checkStateStoreOptions(stateStore);
  if (Number.isSafeInteger(checkpointInterval) && checkpointInterval > 0) return;
  const message = `is ${checkpointInterval}. Use a whole number of events, at least 1.`;
  throw new InputError("OPTION_INVALID", "ledger.worker.checkpointInterval", message);
}

/** A cluster retries the appends of its activities, and cannot start a step before they are stored. */
export function checkEngineOptions({ kind }: Engine, { stateStore }: Pick<WorkerOptions, "stateStore">): void {
  if (stateStore === undefined || kind === "embedded") return;
  const message = `needs the embedded engine, and this worker has ${kind}. Remove the option.`;
  throw new InputError("OPTION_INVALID", "ledger.worker.stateStore", message);
}

export function checkLedgerOptions(options: object): void {
  refuseUnknown("connect", options, Object.keys(LEDGER));
}

function refuseUnknown(call: string, options: object, known: readonly string[]): void {
  const problem = unknownOption(options, known);
  if (problem !== null) throw new InputError("OPTION_INVALID", call, problem);
}

/** Returns `null` if all options are known. `prefix` precedes the name of an option, as in `worker.leaseMs`. */
export function unknownOption(options: object, known: readonly string[], prefix = ""): string | null {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  const near = nearest(unknown, known);
  const advice = near === undefined ? `Use one of ${known.join(", ")}.` : `Did you mean ${prefix}${near}?`;
  return `${prefix}${unknown} is not an option. ${advice}`;
}
