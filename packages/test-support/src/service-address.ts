import { inject } from "vitest";

const addresses = new Map<string, Promise<string>>();

/** Returns the address of a service that all test files share. The first call of a run starts the service. */
export function serviceAddress(name: "postgres" | "browser" | "million-runs" | "dynamodb"): Promise<string> {
  const known = addresses.get(name) ?? ask(name);
  addresses.set(name, known);
  return known;
}

async function ask(name: string): Promise<string> {
  const response = await fetch(`${inject("services")}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
