/** The logger of code that was given none. */
import { InputError } from "@runledger/contracts";
import { environment } from "../config/environment.js";
import { logLevels, newLogger, type Logger, type LogLevel } from "./logger.js";

let current: Logger | null = null;

/** Replaces the logger of this process. A program calls it when it starts. */
export function setProcessLogger(logger: Logger): void {
  current = logger;
}

/** Defaults to warnings and errors, or to the level of RUNLEDGER_LOG_LEVEL. */
export function processLogger(): Logger {
  current ??= newLogger({ level: levelOf(environment()["RUNLEDGER_LOG_LEVEL"]) ?? "warn" });
  return current;
}

/** Returns `undefined` if no level is named. */
export function levelOf(name = ""): LogLevel | undefined {
  if (name === "") return undefined;
  const level = logLevels.find((known) => known === name);
  if (level !== undefined) return level;
  throw new InputError("CONFIG_INVALID", "log level", `${name} is not a level. Use one of ${logLevels.join(", ")}.`);
}
