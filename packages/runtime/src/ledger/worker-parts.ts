import { StopError, type FullStateStore } from "@runledger/contracts";
import { partsOf, type Engine, type EngineParts } from "../engine/engine.js";
import { directStartsOf } from "../runs/direct-starts.js";
import { missingPort } from "./missing-ports.js";

/**
 * Returns how an engine starts workers on this store. Without a queue, only a cluster can own runs. On a store whose append
 * authority leaves gaps, only an engine that settles them can work (P10).
 */
export function workerParts(store: FullStateStore, engine: Engine): Pick<EngineParts, "workerId" | "startWorker"> {
  const parts = partsOf(engine);
  if (!store.capabilities.contiguous && parts.settlesGaps !== true) throw leavesGaps(engine);
  if (directStartsOf(store) === undefined) return parts;
  if (parts.direct === undefined) throw missingPort("queue");
  return { ...parts, ...parts.direct };
}

function leavesGaps({ kind }: Engine): StopError {
  const why = "it decides on the numbers that its appends return, and needs them without gaps";
  const message = `The append authority of this store leaves gaps in the numbers of events. The ${kind} engine cannot run on it: ${why}. Use the Temporal engine, or a store with the default authority.`;
  return new StopError("STORE_UNSUITABLE", message);
}
