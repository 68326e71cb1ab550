import { ok, route } from "../http/define-route.js";
import { workerList } from "../schemas/worker.js";
import { listWorkers as readWorkers } from "../workflows/list-workers.js";

export const listWorkers = route({
  method: "GET",
  path: "/workers",
  operationId: "listWorkers",
  tag: "operations",
  summary: "Workers, what they can run, and the runs that they drive",
  role: "viewer",
  answers: { 200: { description: "Who lives, and for a day whoever was lost", schema: workerList } },
  problems: [],
  handle: async ({ caller, store, api }) => ok(await readWorkers(api.ledger.store, store, caller)),
});
