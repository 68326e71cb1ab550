/** Reads the database from outside. Returns nothing while the server is down. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";

export class Database {
  readonly #url: string;
  readonly #dataDir: string;
  #client: Client | null = null;

  constructor(url: string, dataDir: string) {
    this.#url = url;
    this.#dataDir = dataDir;
  }

  /** `null` if the server is down. */
  async count(text: string, values: readonly unknown[] = []): Promise<number | null> {
    try {
      this.#client ??= await this.#connect();
      const { rows } = await this.#client.query<[string]>({ text, values: [...values], rowMode: "array" });
      return Number(rows[0]![0]);
    } catch {
      this.#forget();
      return null;
    }
  }

  openRuns(): Promise<number | null> {
    return this.count("SELECT count(*) FROM runledger.run_queue");
  }

  ownedBy(workerId: string): Promise<number | null> {
    return this.count("SELECT count(*) FROM runledger.run_queue WHERE owner = $1", [workerId]);
  }

  /** The server closes all sessions and recovers from its log. */
  async killBackend(): Promise<void> {
    const pid = await this.count(`SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
      AND backend_type = 'client backend' AND datname = current_database() ORDER BY state = 'active' DESC LIMIT 1`);
    if (pid !== null) process.kill(pid, "SIGKILL");
  }

  /** Existing connections may answer a moment longer: only a new connection shows that the server is back. */
  async killPostmaster(): Promise<void> {
    const [pid] = (await readFile(join(this.#dataDir, "pgdata", "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
    this.#forget();
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }

  #forget(): void {
    this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #connect(): Promise<Client> {
    const client = new Client({ connectionString: this.#url });
    client.on("error", () => {});
    await client.connect();
    return client;
  }
}
