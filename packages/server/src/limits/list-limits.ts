import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { isVisible, limit } from "./limit.js";

const limitList = z.object({ items: z.array(limit) }).meta({ id: "LimitList" });

export const listLimits = route({
  method: "GET",
  path: "/limits",
  operationId: "listLimits",
  tag: "queue",
  summary: "List limits",
  description: "Returns the limits that apply to the caller's runs. A caller for all tenants sees all limits.",
  role: "viewer",
  responses: { 200: { description: "The limits, ordered by scope and subject", schema: limitList } },
  problems: [],
  handle: async ({ caller, api }) => {
    const limits = await api.ledger.limits.list();
    return ok({ items: limits.filter((each) => isVisible(caller, each)) });
  },
});
