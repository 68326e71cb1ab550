/**
 * Files of an archive in an S3-compatible bucket, one PUT per file. The client of S3 is an optional peer dependency. It
 * finds credentials as all AWS tools do: in the environment, in a profile, or by the role of the machine.
 */
import type * as s3 from "@aws-sdk/client-s3";
import { InputError, RetryError } from "@runledger/contracts";
import type { ArchivePlace } from "./archive-place.js";

type Sdk = typeof s3;

interface BucketUrl {
  readonly bucket: string;
  /** Empty, or with a `/` at its end. */
  readonly prefix: string;
  /** Server other than that of AWS. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

const PACKAGE = "@aws-sdk/client-s3";
const PARAMETERS = new Set(["endpoint", "region"]);

/** Reads `s3://bucket/prefix?endpoint=https://…&region=…`. */
export function readBucketUrl(place: string): BucketUrl {
  const url = URL.canParse(place) ? new URL(place) : null;
  if (url === null || url.hostname === "" || url.protocol !== "s3:")
    throw invalid(`${place} is not s3://bucket/prefix.`);
  if (url.username !== "" || url.password !== "")
    throw invalid("a bucket's URL has no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw invalid(`the parameter ${unknown} is unknown. Use endpoint and region.`);
  const path = decodeURIComponent(url.pathname).split("/").filter(Boolean).join("/");
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint))
    throw invalid(`the endpoint ${endpoint} is not a URL.`);
  const region = url.searchParams.get("region") ?? undefined;
  return { bucket: url.hostname, prefix: path === "" ? "" : `${path}/`, endpoint, region };
}

function invalid(message: string): InputError {
  return new InputError("OPTION_INVALID", "archive", message);
}

export class BucketPlace implements ArchivePlace {
  readonly name: string;
  readonly #sdk: Sdk;
  readonly #client: s3.S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  static async open(place: string): Promise<BucketPlace> {
    const url = readBucketUrl(place);
    return new BucketPlace(await loadSdk(), url);
  }

  private constructor(sdk: Sdk, { bucket, prefix, endpoint, region }: BucketUrl) {
    this.name = `s3://${bucket}/${prefix}`.replace(/\/$/, "");
    this.#sdk = sdk;
    this.#bucket = bucket;
    this.#prefix = prefix;
    const elsewhere = { forcePathStyle: true, region: "us-east-1" };
    this.#client = new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint, ...elsewhere }),
      ...(region !== undefined && { region }),
      requestChecksumCalculation: "WHEN_REQUIRED", // other servers refuse them, and every file is read back
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  async read(key: string): Promise<Buffer | null> {
    const where = { Bucket: this.#bucket, Key: this.#prefix + key };
    try {
      const { Body } = await this.#client.send(new this.#sdk.GetObjectCommand(where));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    } catch (error) {
      if (error instanceof Error && error.name === "NoSuchKey") return null;
      throw this.#unavailable(error);
    }
  }

  async write(key: string, data: Buffer): Promise<void> {
    const file = { Bucket: this.#bucket, Key: this.#prefix + key, Body: data };
    await this.#client.send(new this.#sdk.PutObjectCommand(file)).catch((error: unknown) => {
      throw this.#unavailable(error);
    });
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const where = { Bucket: this.#bucket, Prefix: this.#prefix + prefix };
    for (let ContinuationToken: string | undefined; ;) {
      const page = await this.#page({ ...where, ...(ContinuationToken !== undefined && { ContinuationToken }) });
      for (const { Key = "" } of page.Contents ?? []) yield Key.slice(this.#prefix.length);
      ContinuationToken = page.NextContinuationToken;
      if (ContinuationToken === undefined) return;
    }
  }

  #page(where: { readonly Bucket: string; readonly Prefix: string; readonly ContinuationToken?: string }) {
    return this.#client.send(new this.#sdk.ListObjectsV2Command(where)).catch((error: unknown) => {
      throw this.#unavailable(error);
    });
  }

  #unavailable(cause: unknown): RetryError {
    const { name, message } = cause instanceof Error ? cause : { name: "Error", message: String(cause) };
    const text = `The archive ${this.name} cannot be used: ${name}: ${message}. Check the bucket, its permissions and the network.`;
    return new RetryError("ARCHIVE_UNAVAILABLE", text, { cause });
  }
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${PACKAGE}'`)) throw error;
    throw invalid(`s3:// needs the package ${PACKAGE}, which is not installed. Run npm install ${PACKAGE}.`);
  }
}
