export type * from "./api-types.js";
export { RunledgerClient, type ActionName, type FollowOptions, type RunListMessage } from "./client.js";
export { ProblemError } from "./problem-error.js";
export type { RunListQuery, StreamListQuery } from "./run-queries.js";
export type { StreamOptions } from "./stream.js";
export type { ClientOptions } from "./transport.js";
export type { Watched, WatchedList, WatchMessage } from "./watch.js";
