import {
  sha256Hex,
  type AppendOptions,
  type EventLog,
  type FullStateStore,
  type NewEvent,
  type RunHead,
} from "@runledger/contracts";
import * as fc from "fast-check";
import { command, type Command } from "./command.js";
import { asTenant, eventFrom, eventSpecs, runs, show, tenants, type Counter, type EventSpec } from "./event-specs.js";

/** Conditions relative to the run's head: correct, off by one, and far off. */
interface ConditionSpec {
  readonly expected: number | null;
  readonly fence: number | null;
  readonly checkpoint: number | null;
  readonly mustExist: boolean;
}

export interface CallSpec {
  readonly events: readonly EventSpec[];
  readonly conditions: ConditionSpec;
  readonly tenant: string | undefined;
}

const beside = fc.constantFrom(0, 0, 0, -1, 1, 5);
const sometimes = (share: number): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: share, arbitrary: beside }, { weight: 100 - share, arbitrary: fc.constant(null) });

const conditions: fc.Arbitrary<ConditionSpec> = fc.record({
  expected: sometimes(40),
  fence: sometimes(80),
  checkpoint: sometimes(40),
  mustExist: fc.constantFrom(false, false, false, true),
});

const ofOneRun = fc
  .tuple(runs, fc.array(eventSpecs, { minLength: 1, maxLength: 5 }))
  .map(([runId, specs]) => specs.map((spec) => ({ ...spec, runId })));
const ofAnyRun = fc.array(eventSpecs, { minLength: 0, maxLength: 6 });

const plain: ConditionSpec = { expected: null, fence: null, checkpoint: null, mustExist: false };
export const callSpecs: fc.Arbitrary<CallSpec> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ events: ofOneRun, conditions, tenant: tenants }) },
  { weight: 4, arbitrary: fc.record({ events: ofOneRun, conditions: fc.constant(plain), tenant: tenants }) },
  { weight: 2, arbitrary: fc.record({ events: ofAnyRun, conditions: fc.constant(plain), tenant: tenants }) },
  { weight: 1, arbitrary: fc.record({ events: ofAnyRun, conditions, tenant: tenants }) },
);

export const appendCommand: fc.Arbitrary<Command> = callSpecs.map((call) =>
  command(`append ${showCall(call)}`, async (stores) => {
    const prepared = await prepare(stores.memory, call, stores);
    return stores.compare(showCall(call), prepared);
  }),
);

export const appendAtOnceCommand: fc.Arbitrary<Command> = fc
  .array(callSpecs, { minLength: 2, maxLength: 6 })
  .map((several) => {
    const name = `at once [${several.map(showCall).join("; ")}]`;
    return command(name, async (stores) => {
      const prepared: ((store: FullStateStore) => Promise<unknown>)[] = [];
      for (const call of several) prepared.push(await prepare(stores.memory, call, stores));
      return stores.compareAtOnce(name, prepared);
    });
  });

/** Ends a run as its owner would, so that it can be archived. */
export const endCommand: fc.Arbitrary<Command> = fc
  .tuple(runs, fc.constantFrom("RunCompleted", "RunCancelled"))
  .map(([runId, eventType]) => {
    const events = [{ runId, eventType, attempt: "1", payload: {} }];
    const call: CallSpec = { events, conditions: { ...plain, fence: 0 }, tenant: undefined };
    return command(`end ${runId} with ${eventType}`, async (stores) => {
      await stores.compare(`end ${runId}`, await prepare(stores.memory, call, stores));
      await stores.compare(`archive ${runId}`, (store) => store.archive.archiveRun(runId));
    });
  });

/** Builds events and options once, from the runs' state in `store`. They may be sent to any store. */
export async function prepare(
  store: EventLog,
  { events: specs, conditions: spec, tenant }: CallSpec,
  counter: Counter,
): Promise<(target: FullStateStore) => Promise<unknown>> {
  const events = specs.map((one) => eventFrom(counter, one));
  const [head] = await store.fetchHeads(specs.slice(0, 1).map(({ runId }) => runId));
  const options = optionsFrom(spec, events, head);
  return (target) => (tenant === undefined ? target : target.forTenant(tenant)).appendEvents(events, options);
}

function optionsFrom(spec: ConditionSpec, events: readonly NewEvent[], head: RunHead | undefined): AppendOptions {
  const { expected, fence, checkpoint, mustExist } = spec;
  const headSeq = head?.headSeq ?? 0;
  const epoch = head?.leaseEpoch ?? 0; // a run without a lease rarely gets a fence, because it would always be refused
  const runId = events[0]?.runId ?? "none";
  const data = `state of ${runId} at ${headSeq} + ${checkpoint}`;
  const seq = Math.max(0, headSeq + (checkpoint ?? 0));
  return {
    mustExist,
    ...(expected === null ? {} : { expectedSeq: Math.max(0, headSeq + expected) }),
    ...(fence === null || (epoch === 0 && fence < 5) ? {} : { fence: Math.max(1, epoch + fence) }),
    ...(checkpoint === null ? {} : { checkpoint: { runId, seq, format: 1, data, checksum: sha256Hex(data) } }),
  };
}

export function showCall({ events, conditions: { expected, fence, checkpoint, mustExist }, tenant }: CallSpec): string {
  const given = Object.entries({ expected, fence, checkpoint }).filter(([, value]) => value !== null);
  const words = given.map(([name, value]) => ` ${name}${value}`).join("");
  return `${events.map(show).join(" ")}${words}${mustExist ? " mustExist" : ""}${asTenant(tenant)}`;
}
