/** The log of a process that stays: JSON lines for collectors, or readable lines for a developer. */
import { InputError } from "@runledger/contracts";
import { errorFields } from "@runledger/runtime/telemetry/log-handlers";
import { newLogger, type Logger } from "@runledger/runtime/telemetry/logger";
import { levelOf, setProcessLogger } from "@runledger/runtime/telemetry/process-logger";
import type { LogEntry } from "@runledger/server";
import type { LogConfig } from "../../config/define-config.js";
import { prettyLine } from "./pretty-line.js";
import { printError } from "./terminal.js";

const FORMATS: readonly unknown[] = ["json", "pretty"] satisfies readonly LogConfig["format"][];

/** Environment variables take precedence over the configuration. All parts of the process use the logger from now on. */
export function openLog(config: LogConfig = {}, usual: LogConfig["format"] = "json"): Logger {
  const level = levelOf(process.env["RUNLEDGER_LOG_LEVEL"]) ?? levelOf(config.level) ?? "info";
  const { RUNLEDGER_LOG_FORMAT: wanted = "" } = process.env;
  const format = wanted === "" ? (config.format ?? usual) : wanted;
  if (!FORMATS.includes(format))
    throw new InputError("CONFIG_INVALID", "log format", `${format} is not a format. Use json or pretty.`);
  const pretty = { write: (line: string) => printError(prettyLine(line)) };
  const logger = newLogger({ level, ...(format === "pretty" && pretty) });
  setProcessLogger(logger);
  return logger;
}

/** Returns a function that logs messages of the server. */
export function logServer(logger: Logger): (entry: LogEntry) => void {
  return ({ level, message, error, ...ids }) =>
    logger[level]({ part: "server", ...ids, ...(error !== undefined && { err: errorFields(error) }) }, message);
}
