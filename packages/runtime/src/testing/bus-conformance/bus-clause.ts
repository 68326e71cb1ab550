import type { BusSettings } from "@runledger/contracts";
import type { CloudEvent } from "../../outbox/cloud-event.js";
import type { BusFactory, BusMessage, EventBus } from "../../outbox/event-bus.js";

/** A bus with an empty destination, as a test of the suite uses it. */
export interface BusUnderTest {
  readonly factory: BusFactory;
  /** Settings of a subscription that publishes to the destination. */
  readonly settings: BusSettings;
  /** Resolves the secrets that the settings name. By default there are none. */
  secrets?(names: readonly string[]): Promise<readonly string[]>;
  /** Returns everything that consumers can read by now, in the order in which they read it. */
  received(): Promise<readonly CloudEvent[]>;
  /** Kills the broker or receiver. If it is absent, outages are not tested. */
  takeDown?(): Promise<void>;
  /** Starts it again with its data. */
  bringUp?(): Promise<void>;
  /** Returns an event that the bus must refuse, such as one that is too large. If it is absent, refusals are not tested. */
  refused?(event: CloudEvent): CloudEvent;
  /** Removes the destination. */
  close?(): Promise<void>;
}

/** The tools of a test of the suite. */
export interface BusFixture {
  readonly bus: EventBus;
  readonly under: BusUnderTest;
  /** Opens the bus again, like another process. The suite closes it. */
  another(): EventBus;
  /** Publishes with the time limit of the outbox. */
  publish(message: BusMessage, bus?: EventBus): Promise<void>;
  /** Waits until consumers can read as many events of these runs, and returns their places by run. */
  placesOf(runIds: readonly string[], count: number): Promise<Readonly<Record<string, readonly number[]>>>;
}

/** One clause of the contract of buses. */
export interface BusClause {
  readonly name: string;
  /** The parts of `BusUnderTest` without which the clause is skipped. */
  readonly needs: readonly ("takeDown" | "bringUp" | "refused")[];
  readonly tests: Readonly<Record<string, (fixture: BusFixture) => Promise<void>>>;
}
