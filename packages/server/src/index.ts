/** The HTTP server of Runledger. `@runledger/server/setup` holds the parts that load neither fastify nor zod. */
export type * from "@runledger/runtime"; // signatures of this package mention these types
export type { Closures, CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
export type { CacheSettings } from "@runledger/runtime/cache/open-cache";
export { apiDocument } from "./app/api-document.js";
export { Server, type ServerOptions } from "./app/server.js";
export type { LogEntry } from "./app/log-entry.js";
export type { AccessOptions } from "./auth/authenticator.js";
export type { JwtOptions } from "./auth/jwt.js";
export { projectWorkflows, type WorkflowSource } from "./catalog/workflow-source.js";
export type { JsonSchema } from "./openapi/document.js";
export type { Quota, QuotaOptions } from "./quotas/quota-options.js";
export type { ListStreamOptions } from "./streams/list-streams.js";
export type { OpenStreamOptions } from "./streams/open-streams.js";
export type { RunStreamOptions } from "./streams/run-streams.js";
export * from "./setup.js";
