import type { ActionName, ActionRequest } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { toast, toastError } from "../../ui/toasts.js";

const DONE: Readonly<Record<ActionName, string>> = {
  approve: "Run approved",
  pause: "Pausing after running steps finish",
  resume: "Run resumed",
  cancel: "Cancelling run",
  retry: "Retrying run",
  skip: "Step skipped",
  compensate: "Compensating completed steps",
};

/** Sends an action and reports the outcome in a toast. */
export function useAction(runId: string) {
  return useMutation({
    mutationFn: ({ action, ...request }: ActionRequest & { readonly action: ActionName }) =>
      client.act(runId, action, request),
    onSuccess: ({ action }) => toast(DONE[action]),
    onError: toastError,
  });
}

interface PreviewRequest {
  readonly runId: string;
  readonly action: ActionName;
  readonly stepId?: string | undefined;
  /** The preview is valid for the run at this seq. */
  readonly seq: number;
  readonly enabled?: boolean;
}

/** Returns what an action would do, without doing it. */
export function usePreview({ runId, action, stepId, seq, enabled = true }: PreviewRequest) {
  return useQuery({
    queryKey: ["preview", runId, action, stepId, seq],
    queryFn: () => client.act(runId, action, { dryRun: true, ...(stepId !== undefined && { stepId }) }),
    enabled,
    staleTime: Infinity,
    retry: false,
  });
}
