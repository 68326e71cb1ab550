/** Artifacts in a bucket of Amazon S3, or of a compatible server. */
export { openArtifacts } from "./s3-storage.js";
