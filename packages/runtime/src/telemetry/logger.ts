/** Logs of a process: one JSON object per line on standard error, written by pino. */
import { createRequire } from "node:module";
import { trace } from "@opentelemetry/api";
import type * as Pino from "pino";

/** Ids and other data of a log line. */
export interface LogFields {
  readonly runId?: string;
  readonly stepId?: string;
  readonly attempt?: number;
  readonly tenantId?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly [name: string]: unknown;
}

/** Receives log lines. A logger of pino is one. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerSettings {
  /** Lines below this level are left out. */
  readonly level: LogLevel;
  /** Receives each line with its line break. Default: writes it to standard error. */
  readonly write?: (line: string) => void;
}

/** Fields that never appear, at any of the first two levels. */
const SECRET = ["authorization", "cookie", "password", "secret", "token", "apiKey"];
/** The password in a URL, such as that of a store. */
const PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/@]+@/gi;

const load = createRequire(import.meta.url);

/** Creates a logger. It loads pino with the first line, because most commands log nothing. */
export function newLogger({ level, write = writeToStderr }: LoggerSettings): Logger {
  let made: Logger | undefined;
  const at = (method: keyof Logger) => (fields: LogFields, message: string) => {
    if (logLevels.indexOf(method) < logLevels.indexOf(level)) return;
    made ??= openPino(level, (line) => write(line.replaceAll(PASSWORD, "$1:[redacted]@")));
    made[method](fields, message);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function openPino(level: LogLevel, write: (line: string) => void): Logger {
  const pino = loadPino();
  if (pino === null) return plainLogger(write);
  const options: Pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: activeSpan,
    serializers: { err: (err: unknown) => err }, // see errorFields
    redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  };
  return pino(options, { write });
}

/** Returns `null` in a program that was bundled into one file. */
function loadPino(): typeof Pino.pino | null {
  try {
    return (load("pino") as typeof Pino).pino;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

/** Writes the same lines without pino. */
function plainLogger(write: (line: string) => void): Logger {
  const hide = (name: string, value: unknown): unknown => (SECRET.includes(name) ? "[redacted]" : value);
  const at = (level: keyof Logger) => (fields: LogFields, msg: string) => {
    const entry = { level, time: new Date().toISOString(), pid: process.pid, ...activeSpan(), ...fields, msg };
    write(`${JSON.stringify(entry, hide)}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Adds the ids of the span in which a line is logged. Fields of the line take precedence. */
function activeSpan(): LogFields {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
