import { InputError, StopError, type FullStateStore, type StateStore } from "@runledger/contracts";
import type * as Embedded from "@runledger/embedded";
import { environment, environmentWithKeys } from "../config/environment.js";
import { packageVersion } from "../config/package-version.js";
import { snowflakeCredentials } from "../config/snowflake-credentials.js";
import { embeddedFolder, resolveStoreUrl } from "../config/store-url.js";
import { resolveEncryption } from "../encryption/resolve-encryption.js";
import { checkLedgerOptions } from "./known-options.js";
import { Ledger, type LedgerOptions } from "./ledger.js";
import { loadDynamoStore, loadSnowflakeStore } from "./load-optional-store.js";

/**
 * Connects to `embedded:./dir`, `postgres://…`, `dynamodb://…` or `memory:`; with an `engine` that starts runs directly, also to
 * `snowflake://…`. Default: RUNLEDGER_STORE, then `embedded:.runledger` (refused in production).
 */
export async function connect(
  url = resolveStoreUrl({ environment: environment(), root: process.cwd() }),
  options: LedgerOptions = {},
): Promise<Ledger> {
  checkLedgerOptions(options);
  const { encryption, artifacts, ...rest } = options;
  const encrypt = encryptionOf(encryption);
  const locate = await artifactsOf(artifacts, url);
  const open = async (store: Promise<FullStateStore>, stop: () => Promise<void>): Promise<Ledger> =>
    new Ledger(await locate(await encrypt(await store)), stop, rest);
  if (url === "memory:") return open(openMemory(), async () => {});
  if (/^postgres(ql)?:/.test(url)) return open(openPostgres(url), async () => {});
  if (url.startsWith("dynamodb:")) return open(openDynamo(url), async () => {});
  if (url.startsWith("snowflake:")) return connectSnowflake(url, encrypt, rest);
  if (!url.startsWith("embedded:")) throw unknownStore(url);
  const { startEmbeddedPostgres } = await loadEmbedded(url);
  const postgres = await startEmbeddedPostgres({ dataDir: url.slice("embedded:".length) || ".runledger" });
  try {
    return await open(openPostgres(postgres.url), () => postgres.stop());
  } catch (error) {
    await postgres.stop();
    throw isWrongPassword(error) ? wrongPassword(url, error) : error;
  }
}

type Encrypt = <S extends StateStore>(store: S) => Promise<S>;

/** Reads the keys before a store is opened. A store whose keys cannot be unwrapped is closed again. */
function encryptionOf(settings: LedgerOptions["encryption"]): Encrypt {
  const options = resolveEncryption(settings, environmentWithKeys());
  if (options === null) return async (store) => store;
  return async (store) => {
    const { encryptedStore } = await import("../encryption/encrypted-store.js");
    return encryptedStore(store, options).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  };
}

/** Opens the folder or bucket of artifacts before the store, so that a wrong location opens nothing. */
async function artifactsOf(
  option: string | undefined,
  url: string,
): Promise<(store: FullStateStore) => Promise<FullStateStore>> {
  const location = option ?? environment()["RUNLEDGER_ARTIFACTS"] ?? "";
  if (location === "" || location === "store:") return async (store) => store;
  if (url.startsWith("snowflake:")) throw noArtifacts(location);
  const { openStorage } = await import("../artifacts/open-storage.js");
  const { locatedStore } = await import("./located-store.js");
  const storage = await openStorage(location);
  return async (store) => {
    try {
      return locatedStore(store, storage);
    } catch (error) {
      await store.close();
      throw error;
    }
  };
}

function noArtifacts(location: string): InputError {
  const message = `runs on snowflake:// have no artifacts, so ${location} cannot be used. Remove the option, or use another store.`;
  return new InputError("OPTION_INVALID", "artifacts", message);
}

function unknownStore(url: string): InputError {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(url) ?? []; // one letter is a drive of Windows
  const message =
    scheme === undefined
      ? `${url} is not a URL. A folder is written embedded:${url}`
      : `no store is known as ${scheme}:. Use embedded:, postgres://, dynamodb:// or memory:.`;
  return new InputError("STORE_URL_INVALID", "url", message);
}

function isWrongPassword(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === "28P01";
}

/** The file was edited or copied: the cluster itself holds only a hash. */
function wrongPassword(url: string, cause: unknown): StopError {
  const folder = embeddedFolder(url)!;
  const message =
    `The database in ${folder} refused the password in ${folder}/password: the file was changed. Restore it. ` +
    "If it is lost, stop all programs that use the folder and remove the file; the next start creates a new password.";
  return new StopError("EMBEDDED_START_FAILED", message, { cause });
}

/** Loads the store's module on demand, so that other stores cost no start-up time. */
async function openMemory(): Promise<FullStateStore> {
  const { MemoryStore } = await import("@runledger/store-memory");
  return new MemoryStore();
}

async function openPostgres(url: string): Promise<FullStateStore> {
  const { PostgresStore } = await import("@runledger/store-postgres");
  return PostgresStore.open({ url });
}

async function openDynamo(url: string): Promise<FullStateStore> {
  const { DynamoStore } = await loadDynamoStore();
  return DynamoStore.open({ url });
}

/** `@runledger/embedded` is an optional peer dependency: it brings 60 MB that a user with a PostgreSQL does not need. */
async function loadEmbedded(url: string): Promise<typeof Embedded> {
  try {
    return await import("@runledger/embedded");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("'@runledger/embedded'")) throw error;
    throw new StopError(
      "EMBEDDED_NOT_INSTALLED",
      `The store ${url} needs the package @runledger/embedded, which is not installed. Run npm install @runledger/embedded@${packageVersion()}, or use postgres://… or memory:.`,
    );
  }
}

/** Runs on Snowflake start directly on the cluster of the engine. */
async function connectSnowflake(url: string, encrypt: Encrypt, options: LedgerOptions): Promise<Ledger> {
  const { connectDirectly } = await import("./direct-ledger.js");
  const open = async (): Promise<StateStore> => {
    const { SnowflakeStore } = await loadSnowflakeStore();
    const store: StateStore = await SnowflakeStore.open({ url, ...snowflakeCredentials(environment()) });
    return encrypt(store);
  };
  return connectDirectly(open, options);
}
