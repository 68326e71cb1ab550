/** Output of a command: results go to standard output, errors to standard error. */
import { styleText } from "node:util";
import { escapeControls } from "./escape-controls.js";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

let hasColors = true;
let hasHints = true;

/** Applies `--no-color` and `--quiet`. */
export function configureTerminal({
  color = true,
  quiet = false,
}: {
  readonly color?: boolean;
  readonly quiet?: boolean;
}): void {
  hasColors = color;
  hasHints = !quiet;
}

/** Styles text if standard output is a terminal with colors. A pipe gets plain text, and so does `NO_COLOR`. */
export function paint(style: Style, text: string): string {
  return !hasColors ? text : styleText(style, text, { stream: process.stdout });
}

export function print(line = ""): void {
  process.stdout.write(`${escapeControls(line)}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function printError(line: string): void {
  process.stderr.write(`${escapeControls(line)}\n`);
}

/** Suggests the command to type next: below the result on a terminal, on standard error if the result goes to a pipe. */
export function printNext(command: string, note = ""): void {
  if (!hasHints) return;
  const show = process.stdout.isTTY ? print : printError;
  show(`${paint("dim", "Next")}  ${paint("cyan", command)}${note === "" ? "" : `   ${paint("dim", note)}`}`);
}

/** Exits silently if the reader closes the pipe, as `head` does. */
export function tolerateClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}
