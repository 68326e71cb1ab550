/** A workflow whose first step waits for the test, and what the database and its processes show of its runs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerProject } from "@runledger/test-support/worker-project";

/** The first step records its run and process in a file, and finishes when the test creates another file. */
export const SLOW = `import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const long = w.step("long", async ({ runId }) => {
    appendFileSync("started", runId + " " + process.pid + "\\n");
    while (!existsSync("go")) await sleep(20);
    return process.pid;
  });
  return w.step("last", { needs: { long } }, ({ needs }) => needs.long);
});`;

export const release = ({ where }: WorkerProject): void => writeFileSync(join(where.cwd, "go"), "");

/** Owned runs in the database. A different transaction id means another write. */
interface Owned extends Record<string, unknown> {
  readonly run_id: string;
  readonly owner: string;
  readonly queue_write: string;
  readonly head_write: string;
}

export const ownedRuns = (project: WorkerProject): Promise<Owned[]> =>
  project.query<Owned>(`SELECT q.run_id, q.owner, q.xmin::text AS queue_write, h.xmin::text AS head_write
    FROM runledger.run_queue q JOIN runledger.run_heads h USING (run_id) WHERE q.owner IS NOT NULL ORDER BY q.run_id`);

export const started = ({ where }: WorkerProject): string[] =>
  readFileSync(join(where.cwd, "started"), { encoding: "utf8", flag: "a+" }).split("\n").slice(0, -1);

export async function count(project: WorkerProject, what: string): Promise<unknown> {
  return (await project.query(`SELECT count(*)::int AS count FROM runledger.${what}`))[0]!["count"];
}
