/** Artifacts in a container of Azure Blob Storage. */
export { openArtifacts } from "./azure-storage.js";
