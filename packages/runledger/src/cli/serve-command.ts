import { Option, type Command } from "commander";
import { resolveJwt, type ServerConfig } from "../config/server-config.js";
import { withoutPassword } from "../config/store-url.js";
import { tokenFolder } from "../config/token-folder.js";
import type { Project } from "../config/load-project.js";
import type { Ledger } from "../ledger/ledger.js";
import type { AccessOptions } from "../server/access/identify.js";
import { LocalToken } from "../server/access/local-token.js";
import { isLoopback } from "../server/access/same-origin.js";
import { DEFAULT_PORT } from "../server/default-port.js";
import { chooseRoles, type ServerRole } from "../server/roles.js";
import type { LogEntry, Server } from "../server/server.js";
import { projectWorkflows } from "../server/workflow-source.js";
import { openLedger } from "./open-ledger.js";
import { toPort } from "./port.js";
import { projectIfAny, storeUrl, type GlobalOptions } from "./session.js";
import { thenLeave, untilStopped } from "./stop-signals.js";
import { paint, print, printJson } from "./terminal.js";
import { schedulerVoice } from "./worker-voice.js";

interface ServeOptions extends GlobalOptions {
  readonly host: string;
  readonly port: number;
  readonly roles?: string;
  readonly auth?: "keys";
  readonly allowedHosts?: string;
}

export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .summary("serve the HTTP API, follow the log, start what is scheduled")
    .description(
      "Serves the HTTP API of a store until it is stopped. Any number of servers may work on one store. Steps are run " +
        "by `runledger worker`.",
    )
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <number>", "where to listen; 0 takes any that is free", toPort, DEFAULT_PORT)
    .option("--roles <names>", "what this process does, separated by commas (default: all it can)")
    .addOption(new Option("--auth <how>", "what others than this machine authenticate with").choices(["keys"]))
    .option("--allowed-hosts <names>", "names under which it may be called, separated by commas")
    .action((_: unknown, command: Command) => thenLeave(serve(command.optsWithGlobals<ServeOptions>())));
}

async function serve(options: ServeOptions): Promise<void> {
  const roles = chooseRoles(options.roles);
  const found = await projectIfAny(options);
  const url = storeUrl(options, found ?? {});
  await using ledger = await openLedger(url, { patienceMs: 0 }); // who asks over HTTP is told at once
  using stop = untilStopped();
  await using server = roles.includes("api") ? await startServer(options, { ledger, url, found }) : null;
  if (roles.includes("projector")) ledger.projector();
  if (roles.includes("scheduler")) ledger.scheduler(schedulerVoice());
  greet(options, { server: server?.server ?? null, token: server?.token ?? null, url, roles });
  if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  if (options.json !== true) print("Stopping: what was begun is finished.");
}

async function startServer(
  options: ServeOptions,
  { ledger, url, found }: { readonly ledger: Ledger; readonly url: string; readonly found: Project | null },
) {
  const { host, port } = options;
  const workflows = projectWorkflows(() => (found?.workflows ?? []).map(({ workflow }) => workflow));
  const local = isLoopback(host) ? await LocalToken.open(tokenFolder(url, process.env)) : null;
  const access = { ...accessOf(options, found?.config.server), ...(local && { token: local }) };
  const { Server } = await import("../server/server.js"); // not every role has one
  const server = await Server.start({ ledger, workflows, host, port, access, log: logLine });
  const token = (await local?.value()) ?? null;
  return { server, token, [Symbol.asyncDispose]: () => server.close() };
}

function accessOf({ auth, host, allowedHosts }: ServeOptions, config: ServerConfig = {}): AccessOptions {
  const hosts = allowedHosts?.split(",").map((name) => name.trim()) ?? config.allowedHosts;
  const jwt = resolveJwt(config.jwt, process.env);
  return { keys: auth === "keys" || isLoopback(host), ...(jwt && { jwt }), ...(hosts && { allowedHosts: hosts }) };
}

interface Greeting {
  /** Null = this process has other roles. */
  readonly server: Server | null;
  readonly url: string;
  readonly roles: readonly ServerRole[];
  /** Null = keys or JWTs are asked for. */
  readonly token: string | null;
}

function greet(options: ServeOptions, { server, url, roles, token }: Greeting): void {
  const where = { ...(server && { url: server.url }), ...(token !== null && { token }) };
  if (options.json === true) return printJson({ ...where, roles });
  if (server !== null && token !== null) print(`Console   ${server.url}/?token=${token}`);
  if (server !== null) print(`API       ${server.url}/api/v1   ${paint("dim", "(reference at /api/docs)")}`);
  print(`Store     ${withoutPassword(url)}`);
  print(`Roles     ${roles.join(", ")}`);
  print(`Stop      ${paint("dim", "Ctrl-C finishes what was begun")}`);
}

/** A line of JSON each, for whatever gathers logs. */
function logLine({ error, ...entry }: LogEntry): void {
  const shown = error instanceof Error ? (error.stack ?? error.message) : error;
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...entry, error: shown })}\n`);
}
