export type { EmbeddedOptions, EmbeddedPostgres } from "./embedded-postgres.js";
export { startEmbeddedPostgres } from "./start-embedded-postgres.js";
