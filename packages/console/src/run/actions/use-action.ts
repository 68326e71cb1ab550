import type { ActionName, ActionRequest } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { tell, tellFailure } from "../../ui/toasts.js";

const DONE: Readonly<Record<ActionName, string>> = {
  approve: "Approved",
  pause: "It pauses when what is under way has ended",
  resume: "It goes on",
  cancel: "It is being cancelled",
  retry: "It runs again",
  skip: "The step is skipped",
};

/** Sends an action and says what came of it. The run itself shows the rest. */
export function useAction(runId: string) {
  return useMutation({
    mutationFn: ({ action, ...request }: ActionRequest & { readonly action: ActionName }) =>
      client.act(runId, action, request),
    onSuccess: ({ action }) => tell(DONE[action]),
    onError: tellFailure,
  });
}

interface Asked {
  readonly runId: string;
  readonly action: ActionName;
  readonly stepId?: string | undefined;
  /** The answer holds for the run at this seq. */
  readonly seq: number;
  readonly enabled?: boolean;
}

/** What an action would do; nothing is done. */
export function usePreview({ runId, action, stepId, seq, enabled = true }: Asked) {
  return useQuery({
    queryKey: ["preview", runId, action, stepId, seq],
    queryFn: () => client.act(runId, action, { dryRun: true, ...(stepId !== undefined && { stepId }) }),
    enabled,
    staleTime: Infinity,
    retry: false,
  });
}
