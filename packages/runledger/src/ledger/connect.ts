import { InputError, type FullStateStore } from "@runledger/contracts";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "./ledger.js";

/** `embedded:./dir` (default `embedded:.runledger`), `postgres://…` or `memory:`. */
export async function connect(url = "embedded:.runledger"): Promise<Ledger> {
  if (url === "memory:") return new Ledger(new MemoryStore(), async () => {});
  if (/^postgres(ql)?:/.test(url)) return new Ledger(await PostgresStore.open({ url }), async () => {});
  if (!url.startsWith("embedded:")) {
    const scheme = url.split(":")[0]!;
    throw new InputError(
      "STORE_URL_INVALID",
      "url",
      `no store is known as ${scheme}:; use embedded:, postgres:// or memory:.`,
    );
  }
  const postgres = await startEmbeddedPostgres({ dataDir: url.slice("embedded:".length) || ".runledger" });
  try {
    const store: FullStateStore = await PostgresStore.open({ url: postgres.url });
    return new Ledger(store, () => postgres.stop());
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
