/** A worker of the embedded engine. */
import { runWorker } from "./run-worker.js";

await runWorker();
