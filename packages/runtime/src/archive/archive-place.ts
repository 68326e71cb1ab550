/** Opens the place of an archive of files: a folder, or a prefix in an S3-compatible bucket. */
import { fileURLToPath } from "node:url";
import { InputError } from "@runledger/contracts";
import { BucketPlace, readBucketUrl } from "./bucket-place.js";
import { FolderPlace } from "./folder-place.js";

/** Files by key. A key is a relative path with `/`. */
export interface ArchivePlace {
  /** Shown in messages. Contains no credentials. */
  readonly name: string;
  /** Returns `null` if there is no such file. */
  read(key: string): Promise<Buffer | null>;
  /** Writes or replaces a file as a whole: no reader sees a part of it. Resolves once the file is durable. */
  write(key: string, data: Buffer): Promise<void>;
  /** Lists the keys that start with a prefix. */
  list(prefix: string): AsyncIterable<string>;
}

const BUCKET = "s3:";

/** Returns `true` if the text is the URL of a bucket. */
export function isBucket(place: string): boolean {
  return place.startsWith(BUCKET);
}

/** Throws OPTION_INVALID if the text is neither a folder nor the URL of a bucket. Opens nothing. */
export function checkArchivePlace(place: string): void {
  if (place === "") throw new InputError("OPTION_INVALID", "archive", "is empty. Pass a folder or s3://bucket/prefix.");
  if (isBucket(place)) readBucketUrl(place);
  else if (/^[a-z][a-z0-9+.-]+:/i.test(place) && !place.startsWith("file:"))
    throw new InputError("OPTION_INVALID", "archive", `${place} is not a folder and not s3://bucket/prefix.`);
}

/** Opens a folder, a `file:` URL or `s3://bucket/prefix`. Creates nothing. */
export async function openPlace(place: string): Promise<ArchivePlace> {
  checkArchivePlace(place);
  if (isBucket(place)) return await BucketPlace.open(place);
  return new FolderPlace(place.startsWith("file:") ? fileURLToPath(place) : place);
}
