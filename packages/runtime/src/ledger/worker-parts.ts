import type { FullStateStore } from "@runledger/contracts";
import { partsOf, type Engine, type EngineParts } from "../engine/engine.js";
import { directStartsOf } from "../runs/direct-starts.js";
import { missingPort } from "./missing-ports.js";

/** Returns how an engine starts workers on this store. Without a queue, only a cluster can own runs. */
export function workerParts(store: FullStateStore, engine: Engine): Pick<EngineParts, "workerId" | "startWorker"> {
  const parts = partsOf(engine);
  if (directStartsOf(store) === undefined) return parts;
  if (parts.direct === undefined) throw missingPort("queue");
  return { ...parts, ...parts.direct };
}
