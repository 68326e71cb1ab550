/**
 * A route is data. The server registers, documents, fuzzes and checks for tenant isolation the routes of one list.
 */
import type { IncomingHttpHeaders } from "node:http";
import {
  omitUndefined,
  type AccessRole,
  type ErrorCode,
  type SignalRequest,
  type TenantStore,
} from "@runledger/contracts";
import type { z } from "zod";
import type { Caller, Identity } from "../auth/caller.js";
import type { CallerQuota } from "../quotas/caller-quota.js";
import type { SseConnection } from "../streams/sse-connection.js";
import type { Api } from "./api.js";

/** A parsed request as its handler receives it. */
interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The bytes of the body, if the route has `hasRawBody`. Otherwise empty. */
  readonly rawBody: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly requestId: string;
  /** The store as the caller's tenant sees it: it does not contain runs of other tenants. */
  readonly store: TenantStore;
  readonly api: Api;
  /** Counts what the call uses beyond a request and its response, such as started runs. */
  readonly quota: CallerQuota;
  /** Records the call in the audit log for a caller that the handler has found. */
  readonly recordFor: (caller: Identity) => Promise<void>;
}

export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Sends bytes as they are read. */
  | {
      readonly status: number;
      readonly bytes: AsyncIterable<Uint8Array>;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Sends server-sent events until either side closes the connection. */
  | { readonly stream: (connection: SseConnection) => void };

/** Describes one response of a route for the OpenAPI document. */
interface ResponseSpec {
  readonly description: string;
  /** Absent if the response has no body, or a body that is not JSON. */
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
  /** Schemas of a stream's messages, by event name. */
  readonly messages?: Readonly<Record<string, z.ZodType>>;
}

interface RouteMetadata {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below `/api/v1` in OpenAPI syntax, such as `/runs/{runId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Lowest role that may call the route. `null` if it needs no authentication; the call then has no caller. */
  readonly role: AccessRole | null;
  /** `true` if only callers that act for all tenants may call the route. */
  readonly allTenants?: boolean;
  /** Throws FORBIDDEN if the caller may not use these path parameters. It runs before the call is written to the audit log. */
  readonly checkCaller?: (caller: Caller, params: Readonly<Record<string, string>>) => void;
  /** `true` if the call is written to the audit log, after all checks and before the handler runs. */
  readonly audited?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Error codes of this route. Those that every route shares are not listed. */
  readonly problems: readonly ErrorCode[];
  /** `true` if the call reads much. A tenant's calls of this kind take turns, so that they leave room for others. */
  readonly isLargeRead?: boolean;
  /** `true` if the handler gets the bytes of the body. `body` then only describes it. */
  readonly hasRawBody?: boolean;
  /** Defaults to 64 KB. */
  readonly maxBodyBytes?: number;
}

/** The run and the signal or action of a call, as the run's log records it if the caller lacks the role (G2). */
export type Steering = Pick<SignalRequest, "runId" | "namespace" | "name">;

export interface Route extends RouteMetadata {
  readonly params?: z.ZodObject;
  /** Present if the route sends a signal or an action to a run. */
  readonly steering?: (params: unknown) => Steering;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<Reply>;
}

interface TypedRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> extends RouteMetadata {
  readonly params?: P;
  readonly steering?: (params: z.output<P>) => Steering;
  readonly query?: Q;
  readonly body?: B;
  readonly handle: (call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Reply>;
}

/** Types the handler by the route's schemas. `handleRequest` parses with them before it calls the handler. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  definition: TypedRoute<P, Q, B>,
): Route {
  return definition as unknown as Route;
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status: 200, body, ...omitUndefined({ headers }) };
}
