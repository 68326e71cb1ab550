export type * from "./api-types.js";
export { RunledgerClient, type ActionName, type FollowOptions } from "./client.js";
export { ProblemError } from "./problem-error.js";
export type { StreamOptions } from "./stream.js";
export type { ClientOptions } from "./transport.js";
