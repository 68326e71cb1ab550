/** Artifacts in a bucket of Amazon S3, or of a compatible server. */
export { openArtifacts } from "./s3-storage.js";
export type { ObjectRange, ObjectStorage, StoredObject } from "@runledger/contracts"; // signatures of this package mention these types
