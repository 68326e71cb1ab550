/**
 * Services that all test files of a run share: a PostgreSQL server, a database with a million runs on it, DynamoDB Local, and a browser.
 * The main process of vitest starts a service when the first test file asks for its address, and stops it after the last test file.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { dynamoEndpoint, startDynamoDb } from "./dynamodb-local.js";
import { startSharedBrowser } from "./shared-browser.js";
import { startSharedPostgres } from "./shared-postgres.js";

declare module "vitest" {
  export interface ProvidedContext {
    readonly services: string;
  }
}

export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

type Name = "postgres" | "browser" | "million-runs" | "dynamodb";
/** Returns a service, and starts it if it is the first to ask. */
export type Ask = (name: Name) => Promise<Service>;

const starters: Readonly<Record<Name, (ask: Ask) => Promise<Service>>> = {
  postgres: startSharedPostgres,
  browser: startSharedBrowser,
  dynamodb: startSharedDynamoDb,
  "million-runs": async (ask) => (await import("./filled-database.js")).fillMillionRuns(ask), // few runs need it
};

async function startSharedDynamoDb(): Promise<Service> {
  const server = await startDynamoDb();
  return { url: dynamoEndpoint(server), stop: () => server.stop() };
}

const isService = (name: string): name is Name => Object.hasOwn(starters, name);

/** Every project of a run loads this file again: what they share lives beside them. */
interface Shared {
  users: number;
  readonly started: Map<Name, Promise<Service>>;
  readonly listening: Promise<Server>;
}
const home = globalThis as { runledgerTestServices?: Shared | undefined };

export default async function shareServices({ provide }: TestProject): Promise<() => Promise<void>> {
  const shared = (home.runledgerTestServices ??= openServices());
  shared.users++;
  const { port } = (await shared.listening).address() as AddressInfo;
  provide("services", `http://127.0.0.1:${port}`);
  return async () => {
    if (--shared.users > 0) return;
    home.runledgerTestServices = undefined;
    await closeServices(shared);
  };
}

function openServices(): Shared {
  const started = new Map<Name, Promise<Service>>();
  const ask: Ask = (name) => {
    const service = started.get(name) ?? starters[name](ask);
    started.set(name, service);
    return service;
  };
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? "";
    if (!isService(name)) return void response.writeHead(404).end();
    ask(name).then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(`The shared ${name} did not start: ${String(error)}`),
    );
  });
  const listening = new Promise<Server>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", () => resolve(server));
  });
  return { users: 0, started, listening };
}

async function closeServices({ started, listening }: Shared): Promise<void> {
  const server = await listening;
  server.close();
  server.closeAllConnections();
  await Promise.allSettled([...started.values()].map(async (service) => (await service).stop()));
}
