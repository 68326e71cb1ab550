import { PostgresStore } from "@runledger/store-postgres";
import type { FreshDatabase } from "@runledger/test-support/fresh-database";
import type { SharedContent } from "./concurrent-clients.js";
import type { Target } from "./two-stores.js";

/** One database for all sequences, emptied in between, and one open store until a sequence reopens it. */
export function postgresTarget(database: FreshDatabase): Target {
  const open = (): Promise<PostgresStore> => PostgresStore.open({ url: database.url, poolSize: 4 });
  let store: PostgresStore | null = null;
  const close = async (): Promise<void> => {
    await store?.close();
    store = null;
  };
  return {
    fresh: async () => {
      await database.empty();
      store ??= await open();
      return store;
    },
    reopen: async () => {
      await close();
      store = await open();
      return store;
    },
    close,
  };
}

/** One database for all histories, emptied in between, over two connections. */
export function postgresContent(database: FreshDatabase): SharedContent {
  const open = (): Promise<PostgresStore> => PostgresStore.open({ url: database.url, poolSize: 4 });
  let handles: readonly PostgresStore[] | null = null;
  return {
    fresh: async () => {
      await database.empty();
      handles ??= [await open(), await open()];
      return handles;
    },
    close: async () => void (await Promise.all((handles ?? []).map((handle) => handle.close()))),
  };
}
