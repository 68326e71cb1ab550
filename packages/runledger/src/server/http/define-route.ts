/**
 * A route is data: what is registered, what is documented, what is fuzzed and what is walked through as the wrong tenant
 * are all made from the same list.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { AccessRole, ErrorCode, TenantStore } from "@runledger/contracts";
import type { z } from "zod";
import type { Caller } from "../access/caller.js";
import type { SseConnection } from "../streams/sse-connection.js";
import type { Api } from "./api.js";

interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly requestId: string;
  /** What the caller's tenant sees: other tenants' runs are absent. */
  readonly store: TenantStore;
  readonly api: Api;
}

export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Bytes, as they are read. */
  | {
      readonly status: number;
      readonly bytes: AsyncIterable<Uint8Array>;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Server-sent events, until either side has had enough. */
  | { readonly stream: (connection: SseConnection) => void };

interface Answer {
  readonly description: string;
  /** Absent = it has no body, or another type than JSON. */
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
  /** Of a stream: what its messages hold, by their name. */
  readonly messages?: Readonly<Record<string, z.ZodType>>;
}

interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, as OpenAPI writes it: `/runs/{runId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The least role that may; null = anybody, and there is no caller. */
  readonly role: AccessRole | null;
  /** True = it is about all tenants: only whoever may act for all of them may. */
  readonly allTenants?: boolean;
  /** True = it changes what others may do or run: it goes on record before it is done. */
  readonly audited?: boolean;
  readonly answers: Readonly<Record<number, Answer>>;
  /** What it may refuse with, beside what every route may. */
  readonly problems: readonly ErrorCode[];
  /** Default 64 KB. */
  readonly maxBodyBytes?: number;
}

export interface Route extends RouteFacts {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<Reply>;
}

interface TypedRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> extends RouteFacts {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly handle: (call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Reply>;
}

/** The handler sees what the schemas give; whoever calls it has parsed with them. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  definition: TypedRoute<P, Q, B>,
): Route {
  return definition as unknown as Route;
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status: 200, body, ...(headers === undefined ? {} : { headers }) };
}
