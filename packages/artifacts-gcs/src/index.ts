/** Artifacts in a bucket of Google Cloud Storage. */
export { openArtifacts } from "./gcs-storage.js";
export type { ObjectRange, ObjectStorage, StoredObject } from "@runledger/contracts"; // signatures of this package mention these types
