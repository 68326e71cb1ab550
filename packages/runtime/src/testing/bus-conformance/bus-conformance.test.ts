// @module-tag B-02
/** The suite passes for the in-process bus, and finds every planted fault. */
import { describe, expect, test } from "vitest";
import type { CloudEvent } from "../../outbox/cloud-event.js";
import { BusUnavailableError, inProcessBus, type BusFactory, type BusMessage } from "../../outbox/event-bus.js";
import type { BusUnderTest } from "./bus-clause.js";
import { busConformance } from "./bus-conformance.js";
import { openFixture } from "./bus-fixture.js";
import { busClauses } from "./clauses/index.js";

/** A receiver in memory. A fault changes how a message reaches it. */
interface World {
  received: CloudEvent[];
  isDown: boolean;
}
type Publish = (world: World, message: BusMessage) => void | Promise<void>;

const correct: Publish = (world, { events }) => {
  if (world.isDown) throw new BusUnavailableError("down");
  if (events.some(({ data }) => data.eventData === "refused")) throw new Error("refused");
  world.received.push(...(JSON.parse(JSON.stringify(events)) as CloudEvent[]));
};

function underTest(publish: Publish, changes: (factory: BusFactory) => BusFactory = (same) => same): BusUnderTest {
  const world: World = { received: [], isDown: false };
  const factory = changes(inProcessBus((message) => publish(world, message)));
  return {
    factory,
    settings: { type: "in-process" },
    received: async () => world.received,
    takeDown: async () => void (world.isDown = true),
    bringUp: async () => void (world.isDown = false),
    refused: (event) => ({ ...event, data: { ...event.data, eventData: "refused" } }),
  };
}

busConformance("the in-process bus", { runner: { describe, test }, open: async () => underTest(correct) });

const seen = new WeakMap<World, Set<string>>();
const held = new WeakMap<World, BusMessage[]>();

const once =
  (keyOf: (message: BusMessage) => string): Publish =>
  (world, message) => {
    const known = seen.get(world) ?? new Set();
    seen.set(world, known);
    if (known.has(keyOf(message)) && !world.isDown) return;
    void correct(world, message);
    known.add(keyOf(message));
  };

/** Faults by the clause that finds them. */
const faults: readonly [clause: string, fault: string, bus: () => BusUnderTest][] = [
  ["order", "reverses two messages", () => underTest(delayed)],
  [
    "batches",
    "keeps only the first event of a message",
    () => underTest((w, m) => correct(w, { ...m, events: m.events.slice(0, 1) })),
  ],
  [
    "batches",
    "reverses the events of a message",
    () => underTest((w, m) => correct(w, { ...m, events: [...m.events].reverse() })),
  ],
  ["exact events", "loses nulls", () => underTest((w, m) => correct(w, withoutNulls(m)))],
  ["exact events", "cuts ids of runs at a dot", () => underTest((w, m) => correct(w, cutAtDot(m)))],
  ["repeats", "refuses a repeated message", () => underTest(refusing)],
  ["repeats", "drops the events of a rewound subscription", () => underTest(once(({ events }) => events[0]!.id))],
  ["refusals", "drops a refused event silently", () => underTest((w, m) => (isRefused(m) ? undefined : correct(w, m)))],
  ["refusals", "calls a refusal an outage", () => underTest((w, m) => unavailable(w, m, isRefused(m)))],
  [
    "outages",
    "blames the event for an outage",
    () =>
      underTest((w, m) => {
        if (w.isDown) throw new Error("down");
        return correct(w, m);
      }),
  ],
  ["outages", "accepts before it has stored", () => underTest((w, m) => (w.isDown ? undefined : correct(w, m)))],
  ["take over", "shares a connection that one user closes", () => underTest(correct, closable)],
  ["settings", "accepts every setting", () => underTest(correct, (factory) => ({ ...factory, check: () => {} }))],
];

const isRefused = ({ events }: BusMessage): boolean => events.some(({ data }) => data.eventData === "refused");

function unavailable(world: World, message: BusMessage, isDown: boolean): void | Promise<void> {
  if (isDown) throw new BusUnavailableError("refused");
  return correct(world, message);
}

/** Stores a message only when the next one arrives, and behind it. */
function delayed(world: World, message: BusMessage): void {
  const waiting = held.get(world) ?? [];
  if (waiting.length === 0) return void held.set(world, [message]);
  for (const each of [message, waiting[0]!]) void correct(world, each);
  held.set(world, []);
}

function refusing(world: World, message: BusMessage): void | Promise<void> {
  const isKnown = world.received.some(({ id }) => id === message.events[0]!.id);
  if (isKnown) throw new Error("duplicate");
  return correct(world, message);
}

function withoutNulls(message: BusMessage): BusMessage {
  return JSON.parse(JSON.stringify(message, (_, value: unknown) => (value === null ? undefined : value))) as BusMessage;
}

function cutAtDot(message: BusMessage): BusMessage {
  const cut = (event: CloudEvent): CloudEvent => ({ ...event, partitionkey: event.partitionkey.split(".")[0]! });
  return { ...message, events: message.events.map(cut) };
}

function closable(factory: BusFactory): BusFactory {
  let isClosed = false;
  return {
    open: (settings, context) => {
      const bus = factory.open(settings, context);
      const publish = async (...args: Parameters<typeof bus.publish>): Promise<void> => {
        if (isClosed) throw new BusUnavailableError("closed");
        await bus.publish(...args);
      };
      return { ...bus, publish, close: async () => void (isClosed = true) };
    },
  };
}

test.each(faults)("the clause %s finds a bus that %s", async (name, _, open) => {
  const clause = busClauses.find((each) => each.name === name)!;
  const failures = await Promise.all(
    Object.values(clause.tests).map(async (run) => {
      const fixture = openFixture(open(), 300);
      return run(fixture).then(
        () => null,
        (error: unknown) => error,
      );
    }),
  );
  expect(failures.some((failure) => failure !== null)).toBe(true);
});
