/** A worker of a Temporal cluster. The second argument has the options of its engine. */
import { temporalEngine, type TemporalOptions } from "@runledger/engine-temporal";
import { runWorker } from "../engine/run-worker.js";

await runWorker({ engine: temporalEngine(JSON.parse(process.argv[3]!) as TemporalOptions) });
