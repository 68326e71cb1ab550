/** Opens the folder or bucket of a location. The client of a cloud is loaded only if a location needs it. */
import { pathToFileURL } from "node:url";
import { ArtifactsNotInstalledError, InputError, type ObjectStorage } from "@runledger/contracts";
import { environment } from "../config/environment.js";
import { packageVersion } from "../config/package-version.js";
import { FolderStorage } from "./folder-storage.js";
import { GuardedStorage } from "./guarded-storage.js";

/** The package of a scheme, and the SDK that it needs. */
const PACKAGES: Readonly<Record<string, { readonly name: string; readonly sdk: string }>> = {
  "s3:": { name: "@runledger/artifacts-s3", sdk: "@aws-sdk/client-s3 @aws-sdk/s3-request-presigner" },
  "gs:": { name: "@runledger/artifacts-gcs", sdk: "@google-cloud/storage" },
  "azure:": { name: "@runledger/artifacts-azure", sdk: "@azure/storage-blob" },
};

/** Each package exports this. */
interface StoragePackage {
  readonly openArtifacts: (
    url: string,
    variables: Readonly<Record<string, string | undefined>>,
  ) => Promise<ObjectStorage>;
}

/** Opens a location other than `store:`. Reads and writes nothing there. */
export async function openStorage(location: string): Promise<ObjectStorage> {
  if (location.startsWith("file:")) return new GuardedStorage(new FolderStorage(fileUrl(location)));
  const found = PACKAGES[location.slice(0, location.indexOf(":") + 1)];
  if (found === undefined) throw unknown(location);
  const { openArtifacts } = await load(location, found);
  return new GuardedStorage(await openArtifacts(location, environment()));
}

/** Also accepts `file:./folder`, relative to the working directory. */
function fileUrl(location: string): string {
  return location.startsWith("file:/") ? location : pathToFileURL(location.slice("file:".length)).href;
}

async function load(location: string, { name, sdk }: (typeof PACKAGES)[string]): Promise<StoragePackage> {
  try {
    return (await import(name)) as StoragePackage;
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    throw new ArtifactsNotInstalledError(location, `${name}@${packageVersion()} ${sdk}`);
  }
}

function unknown(location: string): InputError {
  const known = "store:, file:, s3://, gs:// or azure://";
  return new InputError("OPTION_INVALID", "artifacts", `${location} is not a location of artifacts. Use ${known}.`);
}
