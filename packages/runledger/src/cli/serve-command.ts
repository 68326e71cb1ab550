import type { Command } from "commander";
import { withoutPassword } from "../config/store-url.js";
import { connect } from "../ledger/connect.js";
import { chooseRoles, type ServerRole } from "../server/roles.js";
import { DEFAULT_PORT, Server, type LogEntry } from "../server/server.js";
import { projectWorkflows } from "../server/workflow-source.js";
import { toPort } from "./port.js";
import { projectIfAny, storeUrl, type GlobalOptions } from "./session.js";
import { thenLeave, untilStopped } from "./stop-signals.js";
import { paint, print, printJson } from "./terminal.js";

interface ServeOptions extends GlobalOptions {
  readonly host: string;
  readonly port: number;
  readonly roles?: string;
}

export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .summary("serve the HTTP API")
    .description(
      "Serves the HTTP API of a store until it is stopped. Any number of servers may work on one store. Steps are run " +
        "by `runledger worker`.",
    )
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <number>", "where to listen; 0 takes any that is free", toPort, DEFAULT_PORT)
    .option("--roles <names>", "what this process does, separated by commas (default: all it can)")
    .action((_: unknown, command: Command) => thenLeave(serve(command.optsWithGlobals<ServeOptions>())));
}

async function serve(options: ServeOptions): Promise<void> {
  const roles = chooseRoles(options.roles);
  const found = await projectIfAny(options);
  const url = storeUrl(options, found ?? {});
  const workflows = (found?.workflows ?? []).map(({ workflow }) => workflow);
  await using ledger = await connect(url, { patienceMs: 0 }); // who asks over HTTP is told at once
  using stop = untilStopped();
  await using server = await Server.start({
    ledger,
    workflows: projectWorkflows(() => workflows),
    host: options.host,
    port: options.port,
    log: logLine,
  });
  greet(options, { server, url, roles });
  if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  if (options.json !== true) print("Stopping: what was begun is finished.");
}

function greet(
  options: ServeOptions,
  { server, url, roles }: { readonly server: Server; readonly url: string; readonly roles: readonly ServerRole[] },
): void {
  if (options.json === true) return printJson({ url: server.url, roles });
  print(`API       ${server.url}/api/v1   ${paint("dim", "(reference at /api/docs)")}`);
  print(`Store     ${withoutPassword(url)}`);
  print(`Roles     ${roles.join(", ")}`);
  print(`Stop      ${paint("dim", "Ctrl-C finishes what was begun")}`);
}

/** A line of JSON each, for whatever gathers logs. */
function logLine({ error, ...entry }: LogEntry): void {
  const shown = error instanceof Error ? (error.stack ?? error.message) : error;
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...entry, error: shown })}\n`);
}
