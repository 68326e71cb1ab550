// @module-tag T-10
/** Every behavior, on the embedded engine. `temporal.all.test.ts` plays them on a cluster, and compares the events. */
import { afterAll, beforeAll, test } from "vitest";
import { Stage, type EngineUnderTest } from "./behavior.js";
import { behaviors } from "./behaviors/index.js";
import { startEngine } from "./engines.js";

const prepared = behaviors.map(({ name, prepare }) => ({ name, ...prepare() }));
let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await startEngine("memory:", { workflows: prepared.flatMap(({ workflows }) => workflows) });
});
afterAll(() => engine.ledger.close());

for (const { name, play } of prepared) test.concurrent(name, () => play(new Stage(engine)));
