/** Runs `runledger mcp` as MCP clients do: as a process, with the client of the SDK. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { bin, freshProject } from "@runledger/test-support/runledger-command";
import { onTestFinished } from "vitest";

export interface McpOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The answer of the user. If absent, the client cannot ask. */
  readonly answer?: (question: string) => ElicitResult;
}

/** A result as a model reads it. Each tool returns some of these fields. */
export interface Answer {
  readonly error?: Refusal;
  readonly runs: readonly object[];
  readonly next: string | null;
  readonly run: { readonly status: string };
  readonly failure: { readonly step: { readonly error: { readonly message: string } } };
  readonly wait: { readonly reasons: readonly string[]; readonly waitingSteps: readonly object[] };
  readonly sinceLastSuccess: {
    readonly plan: { readonly hash: { readonly before: string; readonly now: string } };
    readonly changedSteps: { readonly steps: readonly object[] };
  };
  readonly preview: object;
  readonly confirmation: string;
  readonly actionId: string;
}

interface Result {
  readonly structuredContent: Answer;
  readonly content: readonly { readonly text: string }[];
}

interface Refusal {
  readonly code: string;
  readonly family: string;
  readonly message: string;
}

export class McpClient {
  readonly client: Client;
  stderr = "";

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect({ env, args = [], cwd = freshProject({}), answer }: McpOptions): Promise<McpClient> {
    const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
    const client = new Client({ name: "test", version: "1" }, { capabilities });
    if (answer !== undefined)
      client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => answer(message));
    const place = { cwd, env: { ...getDefaultEnvironment(), ...env }, stderr: "pipe" } as const;
    const transport = new StdioClientTransport({ command: process.execPath, args: [bin, "mcp", ...args], ...place });
    const mcp = new McpClient(client);
    transport.stderr?.on("data", (text: Buffer) => (mcp.stderr += text.toString()));
    onTestFinished(() => client.close());
    await client.connect(transport, { timeout: LIMIT_MS });
    return mcp;
  }

  /** Calls a tool. Fails unless the result is the same as text and as data. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args }, undefined, { timeout: LIMIT_MS });
    const { structuredContent, content } = result as unknown as Result;
    const [{ text } = { text: "" }] = content;
    if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(structuredContent))
      throw new Error(`text differs: ${text}`);
    return structuredContent;
  }

  /** Calls a tool that is refused, and returns the error. */
  async refusal(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Refusal> {
    const { error, ...rest } = await this.call(name, args);
    if (error === undefined) throw new Error(`${name} was not refused: ${JSON.stringify(rest)}`);
    return error;
  }
}

/** A loaded machine is slow. */
const LIMIT_MS = 240_000;
