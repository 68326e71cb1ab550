/** The datasets of an attempt: declared with its step, reported by its handler, and returned by its runner. */
import { datasetName, datasetUsesFault, type DatasetUse, type DatasetUses } from "@runledger/contracts";
import { FatalStepError } from "../workflow/step-errors.js";
import type { StepDatasets } from "../workflow/step-tools.js";

export class UsedDatasets implements StepDatasets {
  #uses: DatasetUses;

  constructor(declared: DatasetUses = {}) {
    this.#uses = declared;
  }

  read(dataset: string | DatasetUse): void {
    this.add({ reads: [useOf(dataset)] });
  }

  wrote(dataset: string | DatasetUse): void {
    this.add({ writes: [useOf(dataset)] });
  }

  /** Throws DATASETS_INVALID, and then keeps what was there before. */
  add({ reads = [], writes = [] }: DatasetUses): void {
    checkUses({ reads, writes });
    const merged = withBoth(merge(this.#uses.reads, reads), merge(this.#uses.writes, writes));
    checkUses(merged);
    this.#uses = merged;
  }

  /** Returns the datasets as the event records them. `undefined` if there are none. */
  get recorded(): DatasetUses | undefined {
    return recordedUses(this.#uses);
  }
}

/** Returns the datasets of an inner step as the event records them. */
export function innerUses(uses: DatasetUses): DatasetUses | undefined {
  checkUses(uses);
  return recordedUses(uses);
}

function recordedUses({ reads = [], writes = [] }: DatasetUses): DatasetUses | undefined {
  return reads.length + writes.length === 0 ? undefined : withBoth(reads, writes);
}

function withBoth(reads: readonly DatasetUse[], writes: readonly DatasetUse[]): DatasetUses {
  return { ...(reads.length > 0 && { reads }), ...(writes.length > 0 && { writes }) };
}

/** The later report of a dataset completes and overrides the earlier one. */
function merge(earlier: readonly DatasetUse[] = [], later: readonly DatasetUse[]): readonly DatasetUse[] {
  const merged = new Map<string, DatasetUse>();
  for (const use of [...earlier, ...later]) {
    const { namespace, name } = datasetName(use);
    const key = JSON.stringify([namespace, name]);
    merged.set(key, { ...merged.get(key), ...use });
  }
  return [...merged.values()];
}

function useOf(dataset: string | DatasetUse): DatasetUse {
  return typeof dataset === "string" ? { name: dataset } : dataset;
}

function checkUses(uses: DatasetUses): void {
  const fault = datasetUsesFault(uses);
  if (fault !== undefined) throw new FatalStepError("DATASETS_INVALID", `The reported ${fault}`);
}
