/** Which engine executes the runs of this project's workers, and how it is found in options and environment. */
import { InputError, StopError } from "@runledger/contracts";
import type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
import { packageVersion } from "@runledger/runtime/config/package-version";
import type { Engine } from "@runledger/runtime/engine/engine";

/** Runs are executed in the workers' own processes, or on a Temporal cluster. */
export type EngineConfig = { readonly kind: "embedded" } | ({ readonly kind: "temporal" } & TemporalOptions);

export interface EngineSources {
  /** The value of `--engine`. */
  readonly option: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: EngineConfig | undefined;
}

/** The option wins over RUNLEDGER_ENGINE, which wins over the configuration. */
export function resolveEngine({ option, environment, config }: EngineSources): EngineConfig {
  const url = option ?? environment["RUNLEDGER_ENGINE"] ?? "";
  if (url === "") return checked("engine", config ?? { kind: "embedded" });
  const field = option === undefined ? "RUNLEDGER_ENGINE" : "--engine";
  return checked(field, parseEngineUrl(field, url));
}

/** Returns the address that the console links runs to. `undefined` if there is none. */
export function engineUiUrl(config: EngineConfig): string | undefined {
  return config.kind === "temporal" ? config.uiUrl : undefined;
}

function checked(field: string, config: EngineConfig): EngineConfig {
  const { kind } = config as { readonly kind: unknown };
  if (kind !== "embedded" && kind !== "temporal") throw invalid(field, String(kind));
  const uiUrl = engineUiUrl(config);
  if (uiUrl === undefined || isWebAddress(uiUrl)) return config;
  throw new InputError("ENGINE_URL_INVALID", field, `${uiUrl} is not an address of a UI. Use http:// or https://.`);
}

/** A link to anything else, such as `javascript:`, could run code in the console. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}

/** Reads `embedded` or `temporal://host:port/namespace?taskQueue=…`. */
function parseEngineUrl(field: string, text: string): EngineConfig {
  if (text === "embedded") return { kind: "embedded" };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "temporal:" || url.host === "") throw invalid(field, text);
  const { taskQueue, tls, ui, ...rest } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new InputError("ENGINE_URL_INVALID", field, `${unknown} is not an option. Use taskQueue, tls or ui.`);
  const namespace = decodeURIComponent(url.pathname.slice(1));
  return {
    kind: "temporal",
    address: url.host,
    ...(namespace === "" ? {} : { namespace }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(tls === undefined ? {} : { tls: tls !== "false" }),
    ...(ui === undefined ? {} : { uiUrl: ui }),
  };
}

function invalid(field: string, text: string): InputError {
  const form = "temporal://host:7233/namespace?taskQueue=runledger";
  return new InputError("ENGINE_URL_INVALID", field, `${text} names no engine. Use embedded or ${form}.`);
}

export async function loadEngine(config: EngineConfig): Promise<Engine> {
  if (config.kind === "embedded") return (await import("@runledger/runtime/engine/engine")).embeddedEngine;
  const { kind: _, ...options } = config;
  try {
    const { temporalEngine } = await import("@runledger/engine-temporal");
    return temporalEngine(options);
  } catch (error) {
    throw isMissing(error) ? notInstalled() : error;
  }
}

function isMissing(error: unknown): boolean {
  const { code, message = "" } = error as { code?: string; message?: string };
  return code === "ERR_MODULE_NOT_FOUND" && message.includes("'@runledger/engine-temporal'");
}

function notInstalled(): StopError {
  const sdk = ["activity", "client", "common", "worker", "workflow"].map((name) => `@temporalio/${name}`).join(" ");
  const message = `The engine temporal needs packages that are not installed. Run npm install @runledger/engine-temporal@${packageVersion()} ${sdk}.`;
  return new StopError("ENGINE_NOT_INSTALLED", message);
}
