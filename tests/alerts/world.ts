/** Two servers and a worker as real processes on a real database, with a receiver of alerts and one that refuses events. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunledgerClient } from "@runledger/client";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";
import { connect, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { Receiver } from "../outbox/receiver.js";
import { files, GATES } from "./project.js";

/** A process whose log and metrics are read from outside. */
export interface Watched {
  readonly name: string;
  readonly process: Running;
  readonly url: string;
  scrape(): Promise<string>;
}

export interface World {
  readonly databaseUrl: string;
  /** Writes to the same store. It runs nothing. */
  readonly ledger: Ledger;
  /** A server with the role `api` only. It shows the alerts of the others. */
  readonly front: Watched;
  /** A server with all roles. */
  readonly back: Watched;
  readonly client: RunledgerClient;
  readonly token: string;
  /** All processes that were started. */
  readonly processes: Watched[];
  /** Receives alerts, and checks their signatures. */
  readonly alerts: Receiver;
  /** Refuses every event. */
  readonly refusing: Receiver;
  sql(statement: string): Promise<unknown>;
  openGate(name: string): void;
  startWorker(name: string, ...args: readonly string[]): Promise<Watched>;
  /** Runs a worker until it exits. */
  runWorker(...args: readonly string[]): Promise<void>;
}

const KEY = `whsec_${Buffer.from("the key that signs alerts").toString("base64")}`;

export async function openWorld(): Promise<World> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const [alerts, refusing] = [await new Receiver(KEY).start(), await new Receiver().start()];
  for (const receiver of [alerts, refusing]) onTestFinished(() => receiver.stop());
  refusing.answer = () => 400;
  const cwd = freshProject(files);
  const where = { cwd, env: environment(database.url, alerts.url, cwd) };
  const ledger = await connect(database.url);
  onTestFinished(() => ledger.close());
  const started = await startServers(where);
  const token = (await runledger(where, "keys", "token")).stdout.trim(); // a server has created it
  const processes = started.map((server) => watch(server, { authorization: `Bearer ${token}` }));
  return {
    databaseUrl: database.url,
    ledger,
    front: processes[0]!,
    back: processes[1]!,
    client: new RunledgerClient({ url: processes[0]!.url, token }),
    token,
    processes,
    alerts,
    refusing,
    sql: (statement) => query(database.url, statement),
    openGate: (name) => writeFileSync(join(cwd, GATES, name), ""),
    runWorker: async (...args) => {
      await startRunledger(where, "worker", ...args).ended;
    },
    startWorker: async (name, ...args) => {
      const worker = await startWorker(where, name, args);
      processes.push(worker);
      return worker;
    },
  };
}

function environment(store: string, alertsUrl: string, cwd: string): Record<string, string> {
  return {
    RUNLEDGER_STORE: store,
    XDG_STATE_HOME: cwd,
    GATES: join(cwd, GATES),
    ALERTS_URL: alertsUrl,
    RUNLEDGER_SECRET_ALERT_KEY: KEY,
  };
}

interface Started {
  readonly name: string;
  readonly process: Running;
  readonly url: string;
}

function startServers(where: Where): Promise<Started[]> {
  const roles = { front: ["--roles", "api"], back: [] };
  const all = Object.entries(roles).map(async ([name, args]) => {
    const process = startRunledger(where, "serve", "--port", "0", "--json", ...args);
    const { url } = JSON.parse(await process.says(/^\{"url.*\}$/m)) as { url: string };
    return { name, process, url };
  });
  return Promise.all(all);
}

async function startWorker(where: Where, name: string, args: readonly string[]): Promise<Watched> {
  const process = startRunledger(where, "worker", "--health-port", "0", "--json", ...args);
  const { health } = JSON.parse(await process.says(/^\{"workerId.*\}$/m)) as { health: string };
  return watch({ name, process, url: health });
}

function watch({ name, process, url }: Started, headers: Record<string, string> = {}): Watched {
  const scrape = async (): Promise<string> => (await fetch(`${url}/metrics`, { headers })).text();
  return { name, process, url, scrape };
}
