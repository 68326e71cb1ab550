import { OutcomeUnknownError, RetryError } from "@runledger/contracts";
import type { Around, StoreCall } from "@runledger/runtime/testing/intercept-store";
import type { VirtualProcess } from "@runledger/runtime/testing/virtual-process";
import type { VirtualTime } from "@runledger/runtime/testing/virtual-time";
import { pointOf, type Fault, type FaultSource } from "./faults.js";
import type { Random } from "./random.js";

export interface Line {
  readonly time: VirtualTime;
  readonly process: VirtualProcess;
  readonly faults: FaultSource;
  readonly draw: Random;
  readonly leaseMs: number;
  /** Kills the process. */
  readonly kill: () => void;
}

const READS = /^(fetch|stream|checkpoints\.|queue\.held)/;

/** The connection between one process and the store, with latency and faults. */
export function unreliableLine(line: Line): Around {
  return (call) => line.process.seen(onTheWay(line, call));
}

async function onTheWay(line: Line, call: StoreCall): Promise<unknown> {
  const { process, draw } = line;
  const fault = line.faults.at(pointOf(call));
  const before = draw.chance(0.5);
  if (before) disturb(line, fault);
  await process.running(); // never resolves if the process just died
  await pass(line, fault === "delayed" ? draw.between(100, 4000) : draw.between(1, 6));
  if (fault === "failed") throw away();
  if (fault === "ambiguous") return ambiguous(line, call);
  const answer = await call.proceed();
  if (!before) disturb(line, fault);
  await pass(line, draw.between(1, 6));
  return answer;
}

/** Kills the process or suspends it past its lease, before its call is sent or before the response arrives. */
function disturb({ process, time, draw, leaseMs, kill }: Line, fault: Fault | null): void {
  if (fault === "crashed") kill();
  if (fault !== "stalled") return;
  process.suspend();
  time.after(leaseMs + draw.between(100, 2 * leaseMs), () => process.resume());
}

/** Executes the call, now or later, and loses the response. */
async function ambiguous(line: Line, call: StoreCall): Promise<never> {
  const late = line.draw.chance(0.4) && !READS.test(call.name);
  if (late) line.time.after(line.draw.between(10, 5000), () => void call.proceed().catch(() => {}));
  else await call.proceed().catch(() => {});
  await pass(line, line.draw.between(1, 6));
  throw READS.test(call.name) ? away() : new OutcomeUnknownError();
}

function pass({ time }: Line, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve));
}

function away(): RetryError {
  return new RetryError("STORE_UNAVAILABLE", "The store is away.");
}
