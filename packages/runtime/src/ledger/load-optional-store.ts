/** Stores that are optional peer dependencies, like the SDKs that they need: most users have another database. */
import { StopError } from "@runledger/contracts";
import type * as DynamoStorePackage from "@runledger/store-dynamodb";
import type * as SnowflakeStorePackage from "@runledger/store-snowflake";
import { packageVersion } from "../config/package-version.js";

interface OptionalStore {
  readonly scheme: string;
  readonly name: string;
  readonly sdk: string;
}

const DYNAMO = { scheme: "dynamodb", name: "@runledger/store-dynamodb", sdk: "@aws-sdk/client-dynamodb" };
const SNOWFLAKE = { scheme: "snowflake", name: "@runledger/store-snowflake", sdk: "snowflake-sdk" };

export function loadDynamoStore(): Promise<typeof DynamoStorePackage> {
  return installed(DYNAMO, () => import("@runledger/store-dynamodb"));
}

export function loadSnowflakeStore(): Promise<typeof SnowflakeStorePackage> {
  return installed(SNOWFLAKE, () => import("@runledger/store-snowflake"));
}

async function installed<Module>({ scheme, name, sdk }: OptionalStore, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    throw new StopError(
      "STORE_NOT_INSTALLED",
      `A store with a ${scheme}:// URL needs the package ${name}, which is not installed. ` +
        `Run npm install ${name}@${packageVersion()} ${sdk}.`,
    );
  }
}
