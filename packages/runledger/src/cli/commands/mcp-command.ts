/** `mcp` serves the Model Context Protocol. The server is the optional package `@runledger/mcp`. */
import { MIN_SECRET_LENGTH, omitUndefined, StopError } from "@runledger/contracts";
import type { Command } from "commander";
import { packageVersion } from "@runledger/runtime/config/package-version";
import type * as McpPackage from "@runledger/mcp";
import { completeId } from "../backend/find-run.js";
import { withBackend } from "../backend/open-backend.js";
import { userName } from "../backend/user-name.js";
import { resolveStore, serverUrl, type GlobalOptions } from "../global-options.js";
import { escapeControls } from "../render/escape-controls.js";
import { exitAfter, stopSignal } from "../stop-signals.js";

const NAME = "@runledger/mcp";

interface McpCommandOptions extends GlobalOptions {
  readonly readOnly?: boolean;
  readonly tenant?: string;
}

export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .summary("serve the Model Context Protocol, so that an assistant can explain and steer runs")
    .description(
      "Serves the Model Context Protocol over standard input and output until the client disconnects. Its tools list, explain " +
        "and compare runs, and retry and cancel them after a confirmation. With --server, the role of the key applies; with " +
        "a store, the tools act as the current user. Needs the package @runledger/mcp.",
    )
    .option("--read-only", "offer only the tools that read")
    .option("--tenant <id>", "tenant whose runs are listed")
    .action((_: unknown, command: Command) => exitAfter(serve(command.optsWithGlobals<McpCommandOptions>())));
}

async function serve(options: McpCommandOptions): Promise<void> {
  const { serveMcp } = await loadMcp();
  const write = takeOutput();
  using stop = stopSignal();
  const server = serverUrl(options);
  const redact = await redactorOf(options, server);
  const by = server === null ? `${userName()} (mcp)` : undefined;
  await withBackend(options, async (backend) => {
    const { readOnly, tenant: tenantId } = options;
    const findRun = (given: string) => completeId(backend, given);
    const streams = { input: process.stdin, write, signal: stop.signal, onError: report };
    const more = omitUndefined({ by, readOnly, tenantId });
    await serveMcp({ backend, findRun, redact, version: packageVersion(), ...streams, ...more });
  });
}

/** The protocol owns standard output. Code of the project that prints would break it, so such text goes to standard error. */
function takeOutput() {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (chunk: Uint8Array, done: () => void) => void write(chunk, done);
}

const MAX_WARNING = 200;

function report({ message }: Error): void {
  const line = message.replaceAll(/\s+/g, " ").slice(0, MAX_WARNING);
  process.stderr.write(`warning  The client sent a message that is not valid: ${escapeControls(line)}\n`);
}

/** Keeps the credentials of this process out of the texts that a client sends to a language model. */
async function redactorOf(options: McpCommandOptions, server: string | null) {
  const { Redactor } = await import("@runledger/runtime/engine/redactor");
  const redactor = new Redactor();
  const add = (name: string, value: string) => value.length >= MIN_SECRET_LENGTH && redactor.add(name, value);
  add("RUNLEDGER_KEY", options.key ?? process.env["RUNLEDGER_KEY"] ?? "");
  const url = server ?? (await resolveStore(options));
  if (URL.canParse(url)) add("password", decodeURIComponent(new URL(url).password));
  return (text: string) => redactor.text(text);
}

async function loadMcp(): Promise<typeof McpPackage> {
  try {
    return await import("@runledger/mcp");
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${NAME}'`)) throw error;
    throw new StopError(
      "MCP_NOT_INSTALLED",
      `runledger mcp needs the package ${NAME}, which is not installed. Run npm install ${NAME}@${packageVersion()}.`,
    );
  }
}
