export type * from "./api-types.js";
export {
  RunledgerClient,
  type ActionName,
  type FollowOptions,
  type RunListMessage,
  type RunListQuery,
  type StreamListQuery,
} from "./client.js";
export { ProblemError } from "./problem-error.js";
export type { StreamOptions } from "./stream.js";
export type { ClientOptions } from "./transport.js";
