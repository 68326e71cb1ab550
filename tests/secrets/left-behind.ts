/** Everything that a run leaves behind, by place. */
import { query } from "@runledger/test-support/databases";
import { runledger } from "@runledger/test-support/hosted-commands";
import { testServer } from "@runledger/test-support/test-server";
import { followLog, type Ledger } from "runledger";
import type { LeakyRun, Secrets } from "./leaky-run.js";
import { leaksIn } from "./planted.js";

/** The texts of each place. */
export type Places = Readonly<Record<string, string>>;

/** Omits what only repeats the rows of the database, unless `all` is set. */
export async function placesOf(run: LeakyRun, { all = false } = {}): Promise<Places> {
  return {
    ...(await tablesOf(run.databaseUrl)),
    ...(await artifactsOf(run)),
    ...(await commandsOf(run, all ? COMMANDS : [["show", "--json"]])),
    ...(await answersOf(run, all)),
    "output of the worker": run.worker.output,
    "traces and metrics": run.receiver.bodies.join("\n"),
    processes: run.processes,
  };
}

/** Returns sentences: the secrets that were found, and their places. */
export function leaksOf(places: Places, secrets: Secrets): readonly string[] {
  return Object.entries(places).flatMap(([place, text]) => leaksIn(text, secrets).map((name) => `${name} in ${place}`));
}

/** Returns the places, of those that steps have leaked a secret to, that show none of their names. */
export function untouchedPlaces(places: Places, secrets: Secrets): readonly string[] {
  const artifacts = ["whole of writes", "pieces of writes", "log of logs", "log of prints0", "items of many"];
  const others = ["table runledger.run_events", "output of the worker", "traces and metrics", "command show --json"];
  return [...artifacts, ...others].filter((place) => {
    const text = Object.entries(places).find(([name]) => name.startsWith(place))?.[1] ?? "";
    const names = place === "log of prints0" ? ["planted-0"] : Object.keys(secrets);
    return !names.every((name) => text.includes(`[secret ${name}]`));
  });
}

/** Every row of every table. Bytes are read as text, and in the form in which the database prints them. */
async function tablesOf(url: string): Promise<Places> {
  const tables = await query<{ name: string }>(
    url,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const contents = tables.map(async ({ name }) => {
    const rows = await query(url, `SELECT t.*, t::text AS whole_row FROM ${name} t`);
    return [`table ${name}`, rows.map((row) => Object.values(row).map(textOf).join("\n")).join("\n")] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString();
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Whole artifacts, and the lines of logs without their breaks: a secret may be split over them. */
async function artifactsOf({ ledger, runId }: LeakyRun): Promise<Places> {
  const places: Record<string, string> = {};
  for (const { uri, kind, stepId } of await ledger.store.artifacts.listArtifacts({ runId, limit: 1000 })) {
    const { chunks = [] } = (await ledger.store.artifacts.readChunks({ uri, limit: 10_000 })) ?? {};
    const name = `${kind} of ${stepId} ${uri}`;
    places[name] = Buffer.concat([...chunks]).toString();
    if (kind === "log") places[`lines of ${name}`] = await linesOf(ledger, uri);
  }
  return places;
}

async function linesOf({ store }: Ledger, uri: string): Promise<string> {
  const texts: Record<string, string> = {};
  for await (const { from, text } of followLog(store.artifacts, uri, { follow: false }))
    texts[from] = (texts[from] ?? "") + text;
  return Object.values(texts).join("\n");
}

const COMMANDS = [
  ["show"],
  ["show", "--json"],
  ["events"],
  ["events", "--json"],
  ["logs"],
  ["artifacts", "list"],
  ["runs"],
];

async function commandsOf({ where, runId }: LeakyRun, commands: readonly (readonly string[])[]): Promise<Places> {
  const found: Record<string, string> = {};
  for (const command of commands) {
    const ofRun = command[0] === "runs" ? [] : [runId];
    const { stdout, stderr } = await runledger(where, ...command, ...ofRun);
    found[`command ${command.join(" ")}`] = stdout + stderr;
  }
  return found;
}

/** Answers of a server in another process, which knows no secret. */
async function answersOf({ ledger, runId, databaseUrl }: LeakyRun, all: boolean): Promise<Places> {
  const { call } = await testServer([], { ledger });
  const select = "SELECT DISTINCT step_id AS id FROM runledger.run_events WHERE step_id IS NOT NULL";
  const steps = all ? await query<{ id: string }>(databaseUrl, select) : [];
  const ofRun = ["", "/plan", "/outline", "/steps", "/events?limit=1000", "/logs?limit=1000", "/artifacts?limit=100"];
  const ofSteps = steps.map(({ id }) => `/steps/${encodeURIComponent(id)}`);
  const paths = [...ofRun, ...ofSteps].map((path) => `/runs/${runId}${path}`);
  const answers = ["/runs", "/workers", "/audit", "/health", ...paths].map(
    async (path) => [`GET ${path}`, await (await call("GET", path)).text()] as const,
  );
  return Object.fromEntries(await Promise.all(answers));
}
