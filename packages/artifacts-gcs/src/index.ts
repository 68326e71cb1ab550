/** Artifacts in a bucket of Google Cloud Storage. */
export { openArtifacts } from "./gcs-storage.js";
