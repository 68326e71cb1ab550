import { harmless } from "./visible-text.js";

/** Where a command writes: results to standard output, what went wrong to standard error. */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof CODES;

/** Colours are for people: a pipe gets plain text. */
export function paint(style: Style, text: string): string {
  const wanted = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  return wanted ? `\u001B[${CODES[style]}m${text}\u001B[0m` : text;
}

export function print(line = ""): void {
  process.stdout.write(`${harmless(line)}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** What went wrong, for people and beside the results. */
export function complain(line: string): void {
  process.stderr.write(`${harmless(line)}\n`);
}

/** What one would type next. */
export function next(command: string, why = ""): void {
  print(`${paint("dim", "Next")}  ${paint("cyan", command)}${why === "" ? "" : `   ${paint("dim", why)}`}`);
}

/** `head` and the like stop reading when they have enough; that is no fault. */
export function tolerateClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}
