import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));

/** Bytes of the heap that are still in use. */
export function bytesInUse() {
  collect();
  return process.memoryUsage().heapUsed;
}
