import { StopError } from "@runledger/contracts";
import type * as DynamoStorePackage from "@runledger/store-dynamodb";
import { packageVersion } from "../config/package-version.js";

const NAME = "@runledger/store-dynamodb";

/** The store is an optional peer dependency, like the SDK that it needs: most users have another database. */
export async function loadDynamoStore(): Promise<typeof DynamoStorePackage> {
  try {
    return await import("@runledger/store-dynamodb");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${NAME}'`)) throw error;
    throw new StopError(
      "STORE_NOT_INSTALLED",
      `A store with a dynamodb:// URL needs the package ${NAME}, which is not installed. ` +
        `Run npm install ${NAME}@${packageVersion()} @aws-sdk/client-dynamodb.`,
    );
  }
}
