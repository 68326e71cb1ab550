/** A bucket without Runledger: the SDK with parts of the same size, as many of them at a time. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";

const PART_BYTES = 8 * 1024 * 1024;
const SENT_AT_ONCE = 3;

/** @param {string} endpoint @param {string} bucket @returns {import("./artifact-places.mjs").Alone} */
export function bucketAlone(endpoint, bucket) {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  /** @param {string} key */
  const at = (key) => ({ Bucket: bucket, Key: key });
  return {
    write: (key, content) => upload(client, at(key), content),
    read: async (key) => {
      const { Body } = await client.send(new GetObjectCommand(at(key)));
      return /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (Body));
    },
    remove: async (key) => void (await client.send(new DeleteObjectCommand(at(key)))),
  };
}

/** @param {S3Client} client @param {{ Bucket: string, Key: string }} at @param {AsyncIterable<Uint8Array>} content */
async function upload(client, at, content) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
  /** @type {Set<Promise<void>>} */
  const open = new Set();
  /** @type {{ PartNumber: number, ETag: string | undefined }[]} */
  const parts = [];
  let PartNumber = 0;
  for await (const Body of partsOf(content)) {
    const part = ++PartNumber;
    const sent = client
      .send(new UploadPartCommand({ ...at, UploadId, PartNumber: part, Body }))
      .then(({ ETag }) => void parts.push({ PartNumber: part, ETag }))
      .finally(() => open.delete(sent));
    open.add(sent);
    if (open.size >= SENT_AT_ONCE) await Promise.race(open);
  }
  await Promise.all(open);
  const Parts = parts.sort((a, b) => a.PartNumber - b.PartNumber);
  await client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
}

/** @param {AsyncIterable<Uint8Array>} content */
async function* partsOf(content) {
  /** @type {Uint8Array[]} */
  let waiting = [];
  let bytes = 0;
  for await (const piece of content) {
    waiting.push(piece);
    bytes += piece.byteLength;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
