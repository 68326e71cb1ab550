import type { Step } from "@runledger/client";
import { client } from "./client.js";

const PER_PAGE = 500;

/** The steps of a run, as many as are wanted, in the order in which they were first named. */
export async function stepsOf(runId: string, most: number): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let after: number | undefined; steps.length < most;) {
    const page = await client.listSteps(runId, {
      limit: Math.min(PER_PAGE, most),
      ...(after !== undefined && { after }),
    });
    steps.push(...page.items);
    if (page.next === null) break;
    after = Number(page.next);
  }
  return steps.slice(0, most);
}
