import { query, TEMPLATE, withDatabase } from "./databases.js";
import { manyRuns } from "./many-runs.mjs";
import type { Ask, Service } from "./shared-services.js";

/** Fills a database with a million runs, once for all test files: copying it takes a tenth of the time. */
export async function fillMillionRuns(ask: Ask): Promise<Service> {
  const { url: server } = await ask("postgres");
  const url = withDatabase(server, "million_runs");
  await query(server, `CREATE DATABASE million_runs TEMPLATE ${TEMPLATE}`);
  await manyRuns(url, { runs: 1_000_000 });
  return { url, stop: async () => {} };
}
