/** Artifacts in a container of Azure Blob Storage. */
export { openArtifacts } from "./azure-storage.js";
export type { ObjectRange, ObjectStorage, StoredObject } from "@runledger/contracts"; // signatures of this package mention these types
