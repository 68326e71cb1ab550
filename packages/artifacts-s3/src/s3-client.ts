/** The requests that artifacts need, on the SDK of AWS. */
import { ArtifactsNotInstalledError, readArtifactUrl, type ObjectRange, type StoredObject } from "@runledger/contracts";
import type * as s3 from "@aws-sdk/client-s3";
import type * as signing from "@aws-sdk/s3-request-presigner";

interface Sdk {
  readonly s3: typeof s3;
  readonly signing: typeof signing;
}

export interface PartOfUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly part: number;
  readonly bytes: Uint8Array;
}

export interface CompletedPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: number;
}

/** The metadata that identifies the writer of an object. */
const WRITER = "runledger-writer";

/** Errors are those of the SDK. */
export class S3Client {
  readonly bucket: string;
  /** Empty, or with a `/` at its end. */
  readonly #prefix: string;
  readonly #sdk: Sdk;
  readonly #client: s3.S3Client;

  static async open(url: string): Promise<S3Client> {
    return new S3Client(await loadSdk(url), url);
  }

  private constructor(sdk: Sdk, url: string) {
    const { host, path, parameters } = readArtifactUrl(url, "s3://bucket/prefix", ["endpoint", "region"]);
    const { endpoint, region } = parameters;
    this.bucket = host;
    this.#prefix = path.map((part) => `${part}/`).join("");
    this.#sdk = sdk;
    const elsewhere = { forcePathStyle: true, region: "us-east-1" };
    this.#client = new sdk.s3.S3Client({
      ...(endpoint !== undefined && { endpoint, ...elsewhere }),
      ...(region !== undefined && { region }),
      requestChecksumCalculation: "WHEN_REQUIRED", // the signature of a request has the SHA-256 of its body
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  get url(): string {
    return `s3://${this.bucket}/${this.#prefix}`.slice(0, -1);
  }

  /** Fails with PreconditionFailed if the key is taken. */
  async put(key: string, writer: string, bytes: Uint8Array): Promise<void> {
    const object = { ...this.#at(key), Body: bytes, IfNoneMatch: "*", Metadata: { [WRITER]: writer } };
    await this.#client.send(new this.#sdk.s3.PutObjectCommand(object));
  }

  async startUpload(key: string, writer: string): Promise<string> {
    const upload = { ...this.#at(key), Metadata: { [WRITER]: writer } };
    const { UploadId } = await this.#client.send(new this.#sdk.s3.CreateMultipartUploadCommand(upload));
    return UploadId!;
  }

  async putPart({ key, uploadId, part, bytes }: PartOfUpload): Promise<CompletedPart> {
    const upload = { ...this.#at(key), UploadId: uploadId, PartNumber: part, Body: bytes };
    const { ETag = "" } = await this.#client.send(new this.#sdk.s3.UploadPartCommand(upload));
    return { PartNumber: part, ETag };
  }

  /** Fails with PreconditionFailed if the key is taken. */
  async completeUpload(key: string, uploadId: string, parts: readonly CompletedPart[]): Promise<void> {
    const upload = { UploadId: uploadId, MultipartUpload: { Parts: [...parts] }, IfNoneMatch: "*" };
    await this.#client.send(new this.#sdk.s3.CompleteMultipartUploadCommand({ ...this.#at(key), ...upload }));
  }

  /** Also succeeds if the upload was completed or aborted meanwhile. */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    const abort = new this.#sdk.s3.AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId });
    await this.#client.send(abort).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async *openUploads(): AsyncGenerator<OpenUpload> {
    const where = { Bucket: this.bucket, Prefix: this.#prefix };
    for (let place = {}; ;) {
      const page = await this.#client.send(new this.#sdk.s3.ListMultipartUploadsCommand({ ...where, ...place }));
      for (const { Key = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? [])
        yield { key: Key.slice(this.#prefix.length), uploadId, startedAt: Initiated?.getTime() ?? Infinity };
      if (page.IsTruncated !== true) return;
      place = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  async get({ key, start, end }: Required<ObjectRange>): Promise<AsyncIterable<Uint8Array>> {
    const range = `bytes=${start}-${end === Infinity ? "" : end - 1}`;
    const { Body } = await this.#client.send(new this.#sdk.s3.GetObjectCommand({ ...this.#at(key), Range: range }));
    return Body as unknown as AsyncIterable<Uint8Array>; // in Node, a stream
  }

  /** Returns `null` if there is no such object. */
  async head(key: string): Promise<{ readonly sizeBytes: number; readonly writer: string | undefined } | null> {
    try {
      const found = await this.#client.send(new this.#sdk.s3.HeadObjectCommand(this.#at(key)));
      return { sizeBytes: found.ContentLength ?? 0, writer: found.Metadata?.[WRITER] };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async *list(prefix: string, after: string | undefined): AsyncGenerator<StoredObject> {
    const start = after === undefined ? {} : { StartAfter: this.#prefix + after };
    const where = { Bucket: this.bucket, Prefix: this.#prefix + prefix, ...start };
    for (let place = {}; ;) {
      const page = await this.#client.send(new this.#sdk.s3.ListObjectsV2Command({ ...where, ...place }));
      for (const { Key = "", Size = 0, LastModified } of page.Contents ?? [])
        yield {
          key: Key.slice(this.#prefix.length),
          sizeBytes: Size,
          createdAt: (LastModified ?? new Date(0)).toISOString(),
        };
      if (page.NextContinuationToken === undefined) return;
      place = { ContinuationToken: page.NextContinuationToken };
    }
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new this.#sdk.s3.DeleteObjectCommand(this.#at(key)));
  }

  sign(key: string, fileName: string, expiresIn: number): Promise<string> {
    const response = {
      ResponseContentDisposition: `attachment; filename="${fileName}"`,
      ResponseContentType: "application/octet-stream",
    };
    const command = new this.#sdk.s3.GetObjectCommand({ ...this.#at(key), ...response });
    return this.#sdk.signing.getSignedUrl(this.#client, command, { expiresIn });
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: this.#prefix + key };
  }
}

/** The key has no object, or the upload was completed or aborted. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && ["NoSuchKey", "NotFound", "NoSuchUpload"].includes(error.name);
}

/** Another object has the key, or another request is creating it. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && ["PreconditionFailed", "ConditionalRequestConflict"].includes(error.name);
}

async function loadSdk(url: string): Promise<Sdk> {
  const names = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];
  try {
    return { s3: await import("@aws-sdk/client-s3"), signing: await import("@aws-sdk/s3-request-presigner") };
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !names.some((name) => message.includes(`'${name}'`))) throw error;
    throw new ArtifactsNotInstalledError(url, names.join(" "));
  }
}
