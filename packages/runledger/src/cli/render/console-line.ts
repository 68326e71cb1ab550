import { paint } from "./terminal.js";

/** Describes how to open the console. Only a terminal gets the token, because other output is stored in logs. */
export function consoleLine(url: string, token: string | null): string {
  if (token === null) return `Console   ${url}/   ${paint("dim", "(log in with an API key)")}`;
  if (process.stdout.isTTY) return `Console   ${paint("bold", `${url}/?token=${token}`)}`;
  return `Console   ${url}/   ${paint("dim", "(log in with the output of runledger keys token)")}`;
}
