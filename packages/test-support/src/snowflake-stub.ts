/** The part of Snowflake's HTTP interface that the driver uses, with faults that the emulator cannot have. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A request with statements. `repeated` if the driver has sent it before under this id. */
export interface Asked {
  readonly text: string;
  readonly requestId: string;
  readonly repeated: boolean;
}

export type Answer =
  | { readonly rows: Rows; readonly types?: readonly ColumnType[]; readonly chunks?: readonly Rows[] }
  | { readonly error: string; readonly state?: string; readonly message?: string }
  | { readonly status: number }
  | "hang up";

type Rows = readonly (readonly (string | null)[])[];
type ColumnType = "text" | "fixed" | "boolean" | "timestamp_ntz";

export interface Stub {
  readonly url: string;
  /** In order of arrival. */
  readonly asked: Asked[];
  /** The bodies of logins. */
  readonly logins: { readonly search: Record<string, string>; readonly data: Record<string, unknown> }[];
  /** Paths of all other requests: logins, renewals of tokens. */
  readonly others: string[];
  stop(): Promise<void>;
}

/** Without this the driver searches for cloud platforms and loads a binary. */
Object.assign(process.env, {
  SNOWFLAKE_DISABLE_PLATFORM_DETECTION: "true",
  SNOWFLAKE_DISABLE_MINICORE: "1",
  SF_TELEMETRY_DISABLE_CONNECTION_SHAPE: "1",
});

/** `denied` refuses every login. */
export async function startStub(
  answerTo: (asked: Asked) => Answer,
  denied?: { readonly code: string; readonly message: string },
): Promise<Stub> {
  const asked: Asked[] = [];
  const others: string[] = [];
  const logins: { search: Record<string, string>; data: Record<string, unknown> }[] = [];
  const answers = new Map<string, object>();
  const chunks = new Map<string, Rows>();
  const seen = new Set<string>();
  let address = "";

  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, "http://stub");
    const body = await bodyOf(request);
    if (pathname.startsWith("/chunks/")) return void response.end(chunkText(chunks.get(pathname)!));
    if (pathname.endsWith("/login-request"))
      logins.push({ search: Object.fromEntries(searchParams), data: body["data"] as Record<string, unknown> });
    if (pathname !== "/queries/v1/query-request") return other(pathname, response);
    const requestId = searchParams.get("requestId")!;
    const one = { text: String(body["sqlText"]), requestId, repeated: seen.has(requestId) };
    seen.add(requestId);
    asked.push(one);
    reply(request, response, answerTo(one));
  }

  function other(pathname: string, response: ServerResponse): void {
    if (pathname.startsWith("/telemetry")) return sendJson(response, { success: true, data: {} });
    if (pathname.endsWith("/result")) return sendJson(response, answers.get(pathname.split("/")[2]!)!);
    others.push(pathname);
    if (denied !== undefined) return sendJson(response, { success: false, data: {}, ...denied });
    const tokens = { token: "t", masterToken: "m", sessionToken: "t2", sessionId: 1, parameters: [] };
    const validity = { validityInSeconds: 3600, masterValidityInSeconds: 14_400, validityInSecondsST: 3600 };
    sendJson(response, {
      success: true,
      data: { ...tokens, ...validity, validityInSecondsMT: 14_400, sessionInfo: {} },
    });
  }

  function reply(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
    if (answer === "hang up") return void request.socket.destroy();
    if ("status" in answer) return void response.writeHead(answer.status).end();
    if ("error" in answer) {
      const { error, state, message = `it failed with ${error}` } = answer;
      const data = { errorCode: error, queryId: "q", ...(state === undefined ? {} : { sqlState: state }) };
      return sendJson(response, { success: false, code: error, message, data });
    }
    sendJson(response, success(answer));
  }

  function success({ rows, types = ["text"], chunks: further = [] }: Extract<Answer, { rows: unknown }>) {
    const queryId = `query-${answers.size}`;
    const rowtype = types.map((type, place) => ({ name: `C${place}`, type, nullable: true, scale: 0, precision: 38 }));
    const links = further.map((chunk, place) => {
      const path = `/chunks/${queryId}-${place}`;
      chunks.set(path, chunk);
      return { url: address + path, rowCount: chunk.length, uncompressedSize: chunkText(chunk).length };
    });
    const total = rows.length + further.reduce((sum, chunk) => sum + chunk.length, 0);
    const format = { queryResultFormat: "json", total, returned: total, version: 1, parameters: [] };
    const data = { queryId, rowtype, rowset: rows, ...format, ...(links.length > 0 ? { chunks: links } : {}) };
    answers.set(queryId, { success: true, data });
    return answers.get(queryId)!;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `snowflake://tester:hunter2secret@acme/DB/S?accessUrl=${encodeURIComponent(address)}`,
    asked,
    logins,
    others,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const chunkText = (rows: Rows): string => JSON.stringify(rows).slice(1, -1);

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const raw = Buffer.concat(parts);
  const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw).toString() : raw.toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
