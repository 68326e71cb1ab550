/** Connects to a broker when the first message is published, and again after a failure. Subscriptions share a connection. */
import { BusUnavailableError } from "./event-bus.js";
import { messageOf } from "./outcomes.js";

export interface BrokerClient<C> {
  connect(): Promise<C>;
  close(client: C): Promise<unknown>;
}

export class BrokerConnection<C> {
  readonly #broker: BrokerClient<C>;
  #client: Promise<C> | null = null;
  #users = 0;

  constructor(broker: BrokerClient<C>) {
    this.#broker = broker;
  }

  /** Counts the subscriptions that use the connection. Each calls `release` once. */
  acquire(): void {
    this.#users++;
  }

  async release(): Promise<void> {
    if (--this.#users > 0 || this.#client === null) return;
    await this.#drop(this.#client);
  }

  /** `judge` returns an error to throw if the broker answered. After any other failure the next message connects again. */
  async use(publish: (client: C) => Promise<unknown>, judge: (error: unknown) => Error | undefined): Promise<void> {
    const connecting = (this.#client ??= this.#broker.connect());
    try {
      await publish(await connecting);
    } catch (error) {
      const answer = judge(error);
      if (answer !== undefined) throw answer;
      void this.#drop(connecting);
      throw new BusUnavailableError(messageOf(error));
    }
  }

  async #drop(client: Promise<C>): Promise<void> {
    if (this.#client === client) this.#client = null;
    await client.then((open) => this.#broker.close(open)).catch(() => {}); // it is broken already
  }
}

/** The client of a broker is an optional peer dependency. */
export async function loadClient<M>(name: string, load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    throw new BusUnavailableError(
      `The bus needs the package ${name}, which is not installed. Run npm install ${name}.`,
    );
  }
}
