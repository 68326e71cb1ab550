import type { RunPlan } from "@runledger/client";
import type { JsonObject, Plan } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { client } from "./client.js";

interface KnownPlan {
  readonly plan: Plan;
  readonly inputSchema: JsonObject | null;
  readonly signalSchemas: Readonly<Record<string, JsonObject | null>>;
}

/** Returns the plan of a run, which never changes. `undefined` while it loads, `null` if it was not published. */
export function usePlan(runId: string): KnownPlan | null | undefined {
  const { data, isError } = useQuery({
    queryKey: ["plan", runId],
    queryFn: async () => known(await client.getRunPlan(runId)),
    staleTime: Infinity,
    retry: false,
  });
  return isError ? null : data;
}

function known({ inputSchema, signalSchemas, ...plan }: RunPlan): KnownPlan {
  return {
    plan: plan as unknown as Plan,
    inputSchema,
    signalSchemas,
  };
}
