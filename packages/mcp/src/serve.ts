/** Serves the Model Context Protocol over standard input and output until the client disconnects. */
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StopError } from "@runledger/contracts";
import type { McpBackend } from "./backend.js";
import type { Redact } from "./clean.js";
import { Confirmations } from "./confirmations.js";
import { McpServer } from "./mcp-server.js";
import type { Tool } from "./tool.js";
import { diffRuns } from "./tools/diff-runs.js";
import { explainRun } from "./tools/explain-run.js";
import { listRuns } from "./tools/list-runs.js";
import { cancelRun, retryRun } from "./tools/steer-run.js";

export interface McpOptions {
  readonly backend: McpBackend;
  /** Returns the complete id of a run. */
  readonly findRun: (given: string) => Promise<string>;
  /** The sender of actions, for a backend that does not know its caller. */
  readonly by?: string;
  /** Lists only runs of this tenant. */
  readonly tenantId?: string;
  /** `true` to refuse retry and cancel. */
  readonly readOnly?: boolean;
  /** Replaces the credentials of this process in texts. */
  readonly redact?: Redact;
  readonly version: string;
  /** Messages of the client, such as `process.stdin`. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Sends messages to the client, and calls `done` afterwards. */
  readonly write: (chunk: Uint8Array, done: () => void) => void;
  /** Stops the server. */
  readonly signal: AbortSignal;
  /** Reports a message that cannot be read, and other faults of the connection. */
  readonly onError: (error: Error) => void;
}

const READING = [listRuns, explainRun, diffRuns];
const CHANGING = [retryRun, cancelRun];

/** Resolves after the client has disconnected, or `signal` was aborted, and all received calls are answered. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { backend, findRun, by, tenantId, readOnly = false, redact = (text) => text, version } = options;
  const tools = [...READING, ...(readOnly ? CHANGING.map(refusedTool) : CHANGING)];
  const context = { backend, findRun, by, tenantId, confirmations: new Confirmations(Date.now) };
  const mcp = new McpServer({ version, tools, context, redact });
  Object.assign(mcp.server, { onerror: options.onError });
  const input = Readable.from(options.input);
  const output = new Writable({ write: (chunk: Uint8Array, _, done) => options.write(chunk, done) });
  const disconnected = disconnection({ input, signal: options.signal }, mcp);
  await mcp.server.connect(new StdioServerTransport(input, output));
  await disconnected;
  await mcp.close();
}

interface Connection {
  readonly input: Readable;
  readonly signal: AbortSignal;
}

function disconnection({ input, signal }: Connection, { server }: McpServer): Promise<unknown> {
  const closed = new Promise<void>((resolve) => Object.assign(server, { onclose: resolve }));
  const aborted = signal.aborted ? Promise.resolve() : once(signal, "abort");
  return Promise.race([closed, aborted, once(input, "end"), once(input, "close")]);
}

/** Not listed in read-only mode. A call is still answered with a stable code. */
function refusedTool(tool: Tool): Tool {
  const refuse = () => Promise.reject(new StopError("FORBIDDEN", `${tool.name} is refused: this server is read-only.`));
  return { ...tool, call: refuse, isListed: false };
}
