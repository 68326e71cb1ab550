import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {}); // the pending query fails too, with its own error
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.flatMap((row) => Object.values(row));
  } finally {
    await client.end();
  }
}

/** A client that appends rows without pause, through every loss of its server, and records which were acknowledged. */
export class Appender {
  readonly acknowledged: number[] = [];
  readonly #url: string;
  readonly #running: Promise<void>;
  #next = 1;
  #stopped = false;

  private constructor(url: string) {
    this.#url = url;
    this.#running = this.#run();
  }

  static async start(url: string): Promise<Appender> {
    await query(url, "CREATE TABLE appended (id int PRIMARY KEY)");
    return new Appender(url);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Resolves when rows that were sent after this call are acknowledged. */
  async goesOn(): Promise<void> {
    const before = this.#next;
    while ((this.acknowledged.at(-1) ?? 0) <= before) await sleep(5);
  }

  /** Returns acknowledged rows that the server does not have. */
  async lost(): Promise<number[]> {
    const stored = new Set(await query(this.#url, "SELECT id FROM appended"));
    return this.acknowledged.filter((id) => !stored.has(id));
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const client = new Client({ connectionString: this.#url });
      client.on("error", () => {});
      await client.connect().then(
        () => this.#append(client),
        () => sleep(10),
      );
      await client.end().catch(() => {});
    }
  }

  async #append(client: Client): Promise<void> {
    try {
      while (!this.#stopped) {
        const id = this.#next++;
        await client.query("INSERT INTO appended VALUES ($1)", [id]);
        this.acknowledged.push(id);
      }
    } catch {
      // The server is gone: the outcome of the last row is unknown, so it is not counted.
    }
  }
}
