/** Finds the spool of a worker in its folder. Each worker has its own file, and takes over those of lost processes. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "@runledger/contracts";
import { makeFolders } from "../../config/make-folders.js";
import { failsOpenForStarts, type StateStoreOptions } from "./budget-options.js";
import { lockSpool, type SpoolLock } from "./spool-lock.js";
import { Spool, type SpoolLimits } from "./spool.js";

const NAME = /^\d+\.spool$/;

export interface OwnedSpool {
  readonly spool: Spool;
  readonly lock: SpoolLock;
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_RECORDS = 10_000;

/** Returns `null` if no event may fail open. */
export async function openSpoolFor(options: StateStoreOptions = {}): Promise<OwnedSpool | null> {
  if (options.spool === undefined || !failsOpenForStarts(options)) return null;
  const { folder, maxBytes = MAX_BYTES, maxRecords = MAX_RECORDS } = options.spool;
  try {
    return await openSpool(folder, { maxBytes, maxRecords });
  } catch (error) {
    const message = `cannot be used: ${(error as Error).message}. Name a folder that the worker may write to.`;
    throw new InputError("OPTION_INVALID", "ledger.worker.stateStore.spool.folder", message);
  }
}

/** Opens the first spool of the folder that no living worker owns, and moves the records of the others into it. */
export async function openSpool(folder: string, limits: SpoolLimits): Promise<OwnedSpool> {
  await makeFolders(folder, 0o700);
  for (let slot = 0; ; slot++) {
    const own = await openOwned(join(folder, `${slot}.spool`), limits);
    if (own === null) continue;
    await adopt(folder, limits, own.spool);
    return own;
  }
}

export async function closeSpool({ spool, lock }: OwnedSpool): Promise<void> {
  await spool.close();
  await lock.release();
}

async function openOwned(path: string, limits: SpoolLimits): Promise<OwnedSpool | null> {
  const lock = await lockSpool(`${path}.lock`);
  return lock === null ? null : { spool: await Spool.open(path, limits), lock };
}

/** A record is removed only after it is durable in this spool. Records that find no room stay for a later worker. */
async function adopt(folder: string, limits: SpoolLimits, spool: Spool): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => NAME.test(each)).sort(bySlot)) {
    const left = await openOwned(join(folder, name), limits);
    if (left === null) continue;
    for (const record of left.spool.records) {
      if (!(await spool.add(record))) break;
      await left.spool.remove([record]);
    }
    await closeSpool(left);
  }
}

function bySlot(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}
