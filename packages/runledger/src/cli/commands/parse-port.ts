import { InvalidArgumentError } from "commander";

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (port > 65_535) throw new InvalidArgumentError("Use a number from 0 to 65535.");
  return port;
}
