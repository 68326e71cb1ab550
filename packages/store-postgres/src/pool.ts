/** A pool of connections whose calls are watched. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { callbackify } from "node:util";
import { Pool, type PoolClient as DriverClient, type PoolConfig } from "pg";
import { ServerConnection, type ConnectionConfig } from "./connection.js";
import { connectError } from "./errors.js";
import type { Call, Watch } from "./watch.js";

/** The driver's pool makes connections of our class. */
export type PoolClient = ServerConnection & Pick<DriverClient, "release">;

/** How long a connection may take to close before it is cut. */
const CLOSE_MS = 1000;

export class WatchedPool {
  readonly #pool: Pool;
  readonly #watch: Watch;
  readonly #open = new Set<ServerConnection>();
  #calls = 0;
  #onIdle = (): void => {};

  constructor(config: ConnectionConfig & PoolConfig, watch: Watch) {
    this.#watch = watch;
    this.#pool = new Pool({
      ...config,
      Client: ServerConnection as unknown as NonNullable<PoolConfig["Client"]>,
      verify: callbackify((client: DriverClient) => this.#verify(client as PoolClient)),
    });
    this.#pool.on("error", () => {}); // the pool replaces an idle connection that breaks
  }

  async #verify(client: PoolClient): Promise<void> {
    this.#open.add(client);
    client.on("end", () => this.#open.delete(client));
    await client.prepare();
  }

  /** Runs work on a free connection. The work releases the connection. */
  async use<T>(work: (client: PoolClient, call: Call) => Promise<T>): Promise<T> {
    this.#calls++;
    const call = this.#watch.start();
    try {
      return await work(await this.#acquire(call), call);
    } finally {
      this.#watch.finish(call);
      if (--this.#calls === 0) this.#onIdle();
    }
  }

  #acquire(call: Call): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => reject(connectError(error));
      call.giveUp = refuse;
      this.#pool.connect().then((client) => {
        if (call.isGivenUp) return client.release();
        call.use(client as PoolClient);
        resolve(client as PoolClient);
      }, refuse);
    });
  }

  /** Waits for all calls in progress. A pool that ends drops callers that wait, and refuses those that come later. */
  async close(): Promise<void> {
    await nextTurn();
    while (this.#calls > 0) {
      await new Promise<void>((resolve) => (this.#onIdle = resolve));
      await nextTurn(); // a caller may have sent another query after its result
    }
    await this.#pool.end();
    await this.#cut();
  }

  /** A server that does not respond does not confirm the end of a connection either. */
  async #cut(): Promise<void> {
    const timer = setTimeout(() => this.#open.forEach((connection) => connection.destroy()), CLOSE_MS);
    await Promise.all([...this.#open].map((connection) => new Promise((resolve) => connection.once("end", resolve))));
    clearTimeout(timer);
  }
}
