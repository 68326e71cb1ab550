/**
 * Requests to one table. Throttled requests and transactions in conflict are repeated with jitter within a bound. A
 * transaction without an answer is repeated under its token, so that it is not applied twice; if no attempt is answered
 * within the bound, its outcome is unknown (P7).
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StopError } from "@runledger/contracts";
import { toTransactItem, type WriteAction } from "./actions.js";
import type { StoreClock } from "./clock.js";
import type { Driver, Operation, Output } from "./driver.js";
import { cancelledBy, failureOf, toError } from "./errors.js";
import { Slots } from "./slots.js";

export interface RetryLimits {
  /** Repeats stop after this time. */
  readonly giveUpMs: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

const LIMITS: RetryLimits = { giveUpMs: 15_000, firstDelayMs: 10, maxDelayMs: 500 };

/** Further requests wait in the process: a server that is overloaded answers none of them in time. */
const MAX_IN_FLIGHT = 32;

/** The most actions of one transaction. */
const MAX_ACTIONS = 100;

export class DynamoClient {
  readonly table: string;
  readonly clock: StoreClock;
  readonly #driver: Driver;
  readonly #limits: RetryLimits;
  readonly #slots = new Slots(MAX_IN_FLIGHT);

  /** Requests that were sent, with repeats. */
  get requests(): number {
    return this.#slots.uses;
  }

  constructor(driver: Driver, table: string, clock: StoreClock, limits: Partial<RetryLimits> = {}) {
    this.#driver = driver;
    this.table = table;
    this.clock = clock;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** A request that may be repeated without harm. */
  read(operation: Operation, input: object): Promise<Output> {
    return this.#repeat(operation, input, false);
  }

  /** Writes all or nothing. Throws `Cancelled` if a condition failed. */
  async transact(actions: readonly WriteAction[]): Promise<void> {
    if (actions.length === 0) return;
    if (actions.length > MAX_ACTIONS)
      throw new StopError("STORE_FAULT", `A transaction of ${actions.length} items is larger than DynamoDB allows.`);
    const TransactItems = actions.map((action) => toTransactItem(this.table, action));
    await this.#repeat("TransactWriteItems", { TransactItems, ClientRequestToken: randomUUID() }, true);
  }

  close(): void {
    this.#driver.close();
  }

  async #repeat(operation: Operation, input: object, writes: boolean): Promise<Output> {
    const { giveUpMs, firstDelayMs, maxDelayMs } = this.#limits;
    const end = performance.now() + giveUpMs;
    let wasUnanswered = false;
    for (let delay = firstDelayMs; ; delay = Math.min(delay * 2, maxDelayMs)) {
      try {
        return await this.#slots.use(() => this.#driver.send(operation, input));
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "cancelled") throw cancelledBy(error, wasUnanswered);
        if (failure === "unanswered") wasUnanswered ||= writes;
        if (failure === "final" || performance.now() + delay > end) throw toError(error, failure, wasUnanswered);
      }
      await sleep(delay * (0.5 + Math.random()));
    }
  }
}
