import { InputError, StopError, type FullStateStore } from "@runledger/contracts";
import { environment } from "../config/environment.js";
import { resolveStoreUrl } from "../config/store-url.js";
import { Ledger, type LedgerOptions } from "./ledger.js";

/** `embedded:./dir`, `postgres://…` or `memory:`. Default: RUNLEDGER_STORE, then `embedded:.runledger`; not in production. */
export async function connect(
  url = resolveStoreUrl({ environment: environment(), root: process.cwd() }),
  options: LedgerOptions = {},
): Promise<Ledger> {
  if (url === "memory:") return new Ledger(await openMemory(), async () => {}, options);
  if (/^postgres(ql)?:/.test(url)) return new Ledger(await openPostgres(url), async () => {}, options);
  if (url.startsWith("snowflake:")) throw noEngineThere();
  if (!url.startsWith("embedded:")) {
    const scheme = url.split(":")[0]!;
    throw new InputError(
      "STORE_URL_INVALID",
      "url",
      `no store is known as ${scheme}:; use embedded:, postgres:// or memory:.`,
    );
  }
  const { startEmbeddedPostgres } = await import("@runledger/embedded");
  const postgres = await startEmbeddedPostgres({ dataDir: url.slice("embedded:".length) || ".runledger" });
  try {
    return new Ledger(await openPostgres(postgres.url), () => postgres.stop(), options);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Each is loaded by whoever uses it: nobody waits for the code of a store that was not named. */
async function openMemory(): Promise<FullStateStore> {
  const { MemoryStore } = await import("@runledger/store-memory");
  return new MemoryStore();
}

async function openPostgres(url: string): Promise<FullStateStore> {
  const { PostgresStore } = await import("@runledger/store-postgres");
  return PostgresStore.open({ url });
}

/** Before anybody connects: what cannot work is said at the start. */
function noEngineThere(): StopError {
  return new StopError(
    "STORE_UNSUITABLE",
    "Snowflake has no queue and no leases, and a warehouse that is polled never sleeps: no worker can run on it. Let workers run on embedded: or postgres://, and copy runs there with runledger store export --to snowflake://….",
  );
}
