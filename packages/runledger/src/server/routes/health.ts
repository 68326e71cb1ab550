import { ok, route } from "../http/define-route.js";
import { readHealth } from "../health/read-health.js";
import { health } from "../schemas/health.js";

export const getHealth = route({
  method: "GET",
  path: "/health",
  operationId: "getHealth",
  tag: "operations",
  summary: "How the whole stands: store, appends, projector, workers, alerts",
  description: "As this process knows it. `/healthz`, `/readyz` and `/metrics` are for programs.",
  role: "viewer",
  answers: { 200: { description: "As it stands", schema: health } },
  problems: [],
  handle: async ({ caller, store, api }) => ok(await readHealth(api, store, caller)),
});
