/** `explain` prints the page of an error code. The build copies docs/errors into the package. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { errorCodes, InputError, type ErrorCode } from "@runledger/contracts";
import { nearest } from "@runledger/runtime/yaml/nearest";
import type { GlobalOptions } from "../global-options.js";
import { paint, print, printJson } from "../render/terminal.js";

export function addExplainCommand(program: Command): void {
  program
    .command("explain <code>")
    .summary("explain an error code: what happened, and what to do")
    .action(async (given: string, _: unknown, command: Command) => {
      const code = toCode(given);
      const text = await readFile(new URL(`../../errors/${code}.md`, import.meta.url), "utf8");
      const { json } = command.optsWithGlobals<GlobalOptions>();
      if (json === true) printJson({ code, family: errorCodes[code], ...sections(text) });
      else for (const line of plain(text)) print(line);
    });
}

function toCode(given: string): ErrorCode {
  const code = given.toUpperCase().replaceAll("-", "_");
  if (Object.hasOwn(errorCodes, code)) return code as ErrorCode;
  const near = nearest(code, Object.keys(errorCodes));
  const advice =
    near === undefined ? "Codes of steps are listed in docs/reference/runners.md." : `Did you mean ${near}?`;
  throw new InputError("OPTION_INVALID", "code", `${given} is not an error code of Runledger. ${advice}`);
}

function sections(text: string): { readonly whatHappened: string; readonly whatToDo: string } {
  return { whatHappened: section(text, "What happened"), whatToDo: section(text, "What to do") };
}

function section(text: string, heading: string): string {
  const [, after = ""] = text.split(`\n## ${heading}\n`);
  return withoutLinks(after.split("\n## ")[0] ?? "").trim();
}

/** Prints headings in bold, and links as their text. */
function plain(text: string): string[] {
  const lines = withoutLinks(text).trimEnd().split("\n");
  return lines.map((line) => (line.startsWith("#") ? paint("bold", line.replace(/^#+ /, "")) : line));
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}
