import { styleText } from "node:util";

const STYLES = { debug: "dim", info: "cyan", warn: "yellow", error: "red" } as const;
/** Fields that are not repeated after the message. */
const HIDDEN = new Set(["level", "time", "pid", "msg", "err"]);

/** Makes a JSON line of the log readable: time, level, message, then the ids and the stack of an error. */
export function prettyLine(line: string): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const level = String(entry["level"]);
  const style = STYLES[level as keyof typeof STYLES] ?? "dim";
  const fields = Object.entries(entry).filter(([name]) => !HIDDEN.has(name));
  const ids = fields.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const time = String(entry["time"]).slice(11, 19);
  const head = `${time} ${paint(style, level.padEnd(5))} ${String(entry["msg"])}`;
  return [head, ...(ids.length === 0 ? [] : [paint("dim", ids.join(" "))])].join("  ") + stackOf(entry["err"]);
}

/** An error with a code is explained by its message. Any other one is a bug, and its stack shows where. */
function stackOf(err: unknown): string {
  const { code, stack = "" } = (err ?? {}) as { readonly code?: string; readonly stack?: string };
  return code !== undefined || stack === "" ? "" : `\n${stack}`;
}

function paint(style: (typeof STYLES)[keyof typeof STYLES], text: string): string {
  return styleText(style, text, { stream: process.stderr });
}
