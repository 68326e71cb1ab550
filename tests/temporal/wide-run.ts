/** A run of many items, and the histories of all executions that drove it. */
import type { TemporalOptions } from "@runledger/engine-temporal";
import { expect } from "vitest";
import type { TemporalServer } from "@runledger/test-support/temporal-server";
import { temporalProject } from "./temporal-project.js";
import { wide } from "./workflows.mjs";

const KB = 1024;
/** Temporal warns at 10,240 events and 10 MB, and terminates an execution at 51,200 events and 50 MB. */
const MAX_EVENTS = 10_240;
const MAX_BYTES = 10 * KB * KB;
/** Temporal warns of larger payloads, and refuses those above 2 MB. */
const MAX_PAYLOAD = 256 * KB;
/** The limit of what an execution carries over to the next one. */
const MAX_INPUT = 64 * KB;

export interface CheckedExecution {
  readonly input: object;
  /** Number of activities that ran steps. */
  readonly steps: number;
}

/** Completes a run of `count` items, and checks each execution against the limits of the cluster. */
export async function completeWide(
  server: TemporalServer,
  count: number,
  options: TemporalOptions,
): Promise<{ readonly runId: string; readonly executions: readonly CheckedExecution[] }> {
  const { ledger, worker } = await temporalProject(options.taskQueue!, { address: server.address, ...options });
  await worker();
  const run = await ledger.start(wide, { input: { count } });
  expect(await run.result()).toBe(count);
  const executions = [];
  for (const { runId } of await server.executions(`WorkflowId = "${run.id}"`))
    executions.push(await checkedExecution(server, run.id, runId));
  return { runId: run.id, executions };
}

/** The first payload is the input that continue-as-new has carried over. */
async function checkedExecution(server: TemporalServer, workflowId: string, runId: string): Promise<CheckedExecution> {
  const { payloads, events, bytes } = await server.history(workflowId, runId);
  expect(payloads.join("\n")).not.toContain("SECRET");
  expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThan(MAX_PAYLOAD);
  expect(payloads[0]!.length).toBeLessThan(MAX_INPUT);
  expect(events).toBeLessThan(MAX_EVENTS);
  expect(bytes).toBeLessThan(MAX_BYTES);
  const steps = payloads.filter((payload) => payload.includes('"command"')).length;
  return { input: JSON.parse(payloads[0]!) as object, steps };
}
