/** `npm run histories`: records every story again. Histories that a release has recorded do not change. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_FORMAT } from "@runledger/contracts";
import type { TestLedger } from "runledger/testing";
import { tell, type History } from "../replay.mjs";
import { examples } from "./examples.js";
import { generated } from "./generated.js";
import { shapes } from "./shapes.js";

const folder = join(process.argv[2] ?? "", `format-${LOG_FORMAT}`);
rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
mkdirSync(folder, { recursive: true });
for (const [name, story] of Object.entries({ ...shapes, ...examples, ...generated })) {
  const ledger = await story();
  for (const history of await historiesOf(name, ledger)) write(history);
  await ledger.close();
}

/** A history per run: a parent and its children, a run and its forks. */
async function historiesOf(name: string, { store }: TestLedger): Promise<History[]> {
  const heads = await store.listHeads();
  const runs = heads.map(async ({ runId }, index) => {
    const events = await store.fetchEvents(runId, { limit: 10_000 });
    const { planId = "", planVersion = "" } = events[0] ?? {};
    const plan = await store.plans.loadPlan({ planId, planVersion });
    if (plan === null) throw new Error(`${planId} ${planVersion} was not published`);
    return { name: index === 0 ? name : `${name}-${index + 1}`, plan, events, ...tell(plan, events) };
  });
  return Promise.all(runs);
}

/** A line for each event and for each decision, so that a difference can be read. */
function write({ name, plan, events, decisions, state }: History): void {
  const lines = (values: readonly unknown[]): string =>
    `[\n${values.map((value) => JSON.stringify(value)).join(",\n")}\n]`;
  const parts = [
    `"name": ${JSON.stringify(name)}`,
    `"plan": ${JSON.stringify(plan)}`,
    `"events": ${lines(events)}`,
    `"decisions": ${lines(decisions)}`,
    `"state": ${JSON.stringify(state)}`,
  ];
  writeFileSync(join(folder, `${name}.json`), `{\n${parts.join(",\n")}\n}\n`);
}
