import { InputError } from "@runledger/contracts";

/** How long a worker waits for the store, and which events it need not wait for (B1). */
export interface StateStoreOptions {
  /** Time that an append may take, in ms. A completed step whose append takes longer fails. Default: no limit. */
  readonly writeLatencyBudgetMs?: number;
  /**
   * Events that need not be stored before the run continues if their append takes longer: `StepStarted` or none. They go to
   * the spool, which must be set. Default: none.
   */
  readonly failOpenForEventClass?: readonly string[];
  /** Events that must be stored before the run continues. Default: `StepCompleted` and `StepFailed`. */
  readonly neverFailOpen?: readonly string[];
  /** File that keeps events until the store has them. */
  readonly spool?: SpoolOptions;
}

export interface SpoolOptions {
  /** Folder on a disk of this machine. Workers may share it. */
  readonly folder: string;
  /** Default 10 MB. */
  readonly maxBytes?: number;
  /** Maximum number of appends. Default 10,000. */
  readonly maxRecords?: number;
}

const CRITICAL = ["StepCompleted", "StepFailed"];
const AT = "ledger.worker.stateStore";

export function failsOpenForStarts({
  failOpenForEventClass = [],
  neverFailOpen = CRITICAL,
}: StateStoreOptions): boolean {
  return failOpenForEventClass.includes("StepStarted") && !neverFailOpen.includes("StepStarted");
}

export function checkStateStoreOptions(options: StateStoreOptions): void {
  const { writeLatencyBudgetMs = 1, failOpenForEventClass = [], neverFailOpen = CRITICAL, spool } = options;
  checkNumber("writeLatencyBudgetMs", writeLatencyBudgetMs);
  checkNumber("spool.maxBytes", spool?.maxBytes ?? 1);
  checkNumber("spool.maxRecords", spool?.maxRecords ?? 1);
  const other = failOpenForEventClass.find((type) => type !== "StepStarted");
  if (other !== undefined) throw invalid("failOpenForEventClass", `has ${other}. Only StepStarted may fail open.`);
  const missing = CRITICAL.find((type) => !neverFailOpen.includes(type));
  if (missing !== undefined) throw invalid("neverFailOpen", `lacks ${missing}, which never fails open. Add it.`);
  if (failOpenForEventClass.length === 0) return;
  if (neverFailOpen.includes("StepStarted"))
    throw invalid("neverFailOpen", "has StepStarted, as failOpenForEventClass does. Remove it from one of them.");
  if (options.writeLatencyBudgetMs === undefined)
    throw invalid("writeLatencyBudgetMs", "is missing. Set a limit in ms.");
  if (spool === undefined) throw invalid("spool", "is missing. Name a folder for events that fail open.");
}

function checkNumber(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(name, `is ${value}. Use a whole number of at least 1.`);
}

function invalid(name: string, problem: string): InputError {
  return new InputError("OPTION_INVALID", `${AT}.${name}`, problem);
}
