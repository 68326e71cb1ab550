import type { Json } from "@runledger/contracts";
import type { LogFields, Logger } from "./logger.js";

export interface Redacts {
  text(text: string): string;
  json(value: Json): Json;
}

/** Returns a logger that replaces secrets in messages and fields (S1). */
export function redactedLogger(logger: () => Logger, redactor: Redacts): Logger {
  const at = (method: keyof Logger) => (fields: LogFields, message: string) =>
    logger()[method](redactor.json(fields as Json) as LogFields, redactor.text(message));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
