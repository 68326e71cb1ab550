import { Option, type Command } from "commander";
import { InputError, omitUndefined } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import type { RunledgerConfig } from "../../config/define-config.js";
import { alertsOf } from "../../config/alert-config.js";
import { engineUiUrl, resolveEngine } from "../../config/engine-config.js";
import { resolveArchive } from "../../config/resolve-archive.js";
import { authorizationOf, resolveCache, resolveJwt, type ServerConfig } from "../../config/server-config.js";
import { withoutPassword } from "@runledger/runtime/config/store-url";
import { tokenFolder } from "../../config/token-folder.js";
import type { Project } from "../../config/load-project.js";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { Logger } from "@runledger/runtime/telemetry/logger";
import { startTelemetry } from "@runledger/runtime/telemetry/start-telemetry";
import type { AccessOptions, Server } from "@runledger/server";
import {
  chooseRoles,
  DEFAULT_PORT,
  isLoopback,
  LocalToken,
  serverRoles,
  type ServerRole,
} from "@runledger/server/setup";
import { openLedgerWhenReachable } from "../backend/open-ledger.js";
import { isSnowflake, openStore } from "../backend/open-store.js";
import { parsePort } from "./parse-port.js";
import { findProject, storeOptionsOf, storeUrl, type GlobalOptions } from "../global-options.js";
import { exitAfter, stopSignal } from "../stop-signals.js";
import { consoleLine } from "../render/console-line.js";
import { paint, print, printJson } from "../render/terminal.js";
import { logServer, openLog } from "../render/open-log.js";

interface ServeOptions extends GlobalOptions {
  readonly host: string;
  readonly port: number;
  readonly roles?: string;
  /** In ms. */
  readonly poll?: number;
  readonly auth?: "keys";
  readonly allowedHosts?: string;
  readonly trustProxy?: string;
}

export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .summary("serve the HTTP API and the console, and run the projector, the outbox, triggers and the scheduler")
    .description(
      "Serves the HTTP API of a store until it is stopped. Any number of servers can share a store. Steps run in " +
        "`runledger worker`.",
    )
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 selects a free port", parsePort, DEFAULT_PORT)
    .option("--roles <names>", "comma-separated roles of this process (default: all; projector for snowflake://)")
    .option("--poll <duration>", "how often a projector on snowflake:// looks for events (default: 1m)", parsePoll)
    .addOption(new Option("--auth <how>", "authentication of callers on other machines").choices(["keys"]))
    .option("--allowed-hosts <names>", "comma-separated host names that requests may use")
    .option("--trust-proxy <addresses>", "comma-separated addresses of proxies that terminate TLS")
    .action((_: unknown, command: Command) => exitAfter(serve(command.optsWithGlobals<ServeOptions>())));
}

async function serve(options: ServeOptions): Promise<void> {
  const found = await findProject(options);
  const url = storeUrl(options, found ?? {});
  const roles = chooseRoles(options.roles, isSnowflake(url) ? ["projector"] : serverRoles);
  const logger = openLog(found?.config.log);
  using stop = stopSignal();
  if (isSnowflake(url)) return await projectLogs(options, url, stop.signal, found?.config.encryption);
  await using telemetry = await startTelemetry(process.env, { servesMetrics: roles.includes("api") });
  const { metrics } = telemetry;
  const settings = {
    metrics,
    logger,
    retryForMs: 0,
    ...authorizationOf(found?.config.server),
    ...storeOptionsOf(found),
    ...alertsOf(found?.config.alerts, process.env),
  }; // HTTP callers get errors immediately
  await using ledger = await openLedgerWhenReachable(stop.signal, url, settings);
  ledger.subscriptions.useBuses(found?.config.outbox ?? {}); // before the API accepts subscriptions
  ledger.triggers.use(found?.config.triggers ?? {}); // before the API receives events
  await using server = roles.includes("api") ? await startServer(options, { ledger, url, found, logger }) : null;
  if (roles.includes("projector")) ledger.projector();
  if (roles.includes("outbox")) ledger.outbox({ ...found?.config.outbox });
  if (roles.includes("triggers")) ledger.consumers({ ...found?.config.triggers });
  if (roles.includes("scheduler")) ledger.scheduler();
  if (roles.includes("retention"))
    ledger.cleaner({
      archive: archiveOf(found),
      onResult: (result) => logger.info({ part: "retention", result }, "Retention pass"),
    });
  greet(options, { server: server?.server ?? null, token: server?.token ?? null, url, roles });
  await aborted(stop.signal);
  if (options.json !== true) print("Stopping after open requests finish.");
}

function archiveOf(project: Project | null): string | undefined {
  const root = project?.root ?? process.cwd();
  return resolveArchive({ config: project?.config.archive, environment: process.env, root });
}

/** Maintains the snapshots of a warehouse for the runs that other engines record there. */
async function projectLogs(
  options: ServeOptions,
  url: string,
  signal: AbortSignal,
  encryption: RunledgerConfig["encryption"],
): Promise<void> {
  const { LogProjector } = await import("@runledger/runtime/projector/project-logs");
  await using opened = await openStore(url, { mustExist: true, ...omitUndefined({ encryption }) });
  const projector = new LogProjector(opened.store, omitUndefined({ pollMs: options.poll }));
  greet(options, { server: null, token: null, url, roles: ["projector"] });
  await aborted(signal);
  await projector.stop();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

interface ServerParts {
  readonly ledger: Ledger;
  readonly url: string;
  readonly found: Project | null;
  readonly logger: Logger;
}

async function startServer(options: ServeOptions, { ledger, url, found, logger }: ServerParts) {
  const { host, port } = options;
  const configured = accessOf(options, found?.config.server);
  const local = usesLocalToken(options, configured) ? await LocalToken.open(tokenFolder(url, process.env)) : null;
  const access = { ...configured, ...(local && { token: local }) };
  const { projectWorkflows, Server } = await import("@runledger/server"); // other roles do not need it
  const workflows = projectWorkflows(() => (found?.workflows ?? []).map(({ workflow }) => workflow));
  const { limits, auditRetentionDays } = found?.config.server ?? {};
  const configuredLimits = omitUndefined({ limits, auditRetentionDays });
  const engine = resolveEngine({ option: undefined, environment: process.env, config: found?.config.engine });
  const cache = resolveCache(found?.config.server?.cache, process.env);
  const settings = { ...configuredLimits, cache, ...omitUndefined({ engineUiUrl: engineUiUrl(engine) }) };
  const server = await Server.start({ ledger, workflows, host, port, access, ...settings, log: logServer(logger) });
  const token = (await local?.value()) ?? null;
  return { server, token, [Symbol.asyncDispose]: () => server.close() };
}

function accessOf({ auth, host, ...options }: ServeOptions, config: ServerConfig = {}): AccessOptions {
  const hosts = listOf(options.allowedHosts) ?? config.allowedHosts;
  const proxies = listOf(options.trustProxy) ?? config.trustProxy;
  const jwt = resolveJwt(config.jwt, process.env);
  return {
    keys: auth === "keys" || isLoopback(host),
    ...(jwt && { jwt }),
    ...(hosts && { allowedHosts: hosts }),
    ...(proxies && { trustProxy: proxies }),
    ...(config.selfApproval && { selfApproval: true }),
  };
}

function parsePoll(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0) return ms;
  throw new InputError("OPTION_INVALID", "--poll", `${text} is not a duration. Use one such as 30s.`);
}

function listOf(names: string | undefined): string[] | undefined {
  return names?.split(",").map((name) => name.trim());
}

/** The local token is an admin of all tenants. A server with other users does not accept it. */
function usesLocalToken({ auth, host }: ServeOptions, { jwt, allowedHosts, trustProxy }: AccessOptions): boolean {
  return isLoopback(host) && [auth, jwt, allowedHosts, trustProxy].every((setting) => setting === undefined);
}

interface Greeting {
  /** `null` if this process does not have the role `api`. */
  readonly server: Server | null;
  readonly url: string;
  readonly roles: readonly ServerRole[];
  /** `null` if callers need an API key or a JWT. */
  readonly token: string | null;
}

function greet(options: ServeOptions, { server, url, roles, token }: Greeting): void {
  if (options.json === true) return printJson({ ...(server && { url: server.url }), roles });
  if (server !== null) print(consoleLine(server.url, token));
  if (server !== null) print(`API       ${server.url}/api/v1   ${paint("dim", "(reference at /api/docs)")}`);
  print(`Store     ${withoutPassword(url)}`);
  print(`Roles     ${roles.join(", ")}`);
  print(`Stop      ${paint("dim", "Ctrl-C waits for open requests")}`);
}
