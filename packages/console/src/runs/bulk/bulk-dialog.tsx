/** Previews a bulk action on each run. Confirming applies it to exactly the runs of the preview. */
import type { BulkOutcome, BulkRequest, RunListQuery } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { counted } from "../../ui/format.js";
import { Failure, Loading } from "../../ui/states.js";
import { toast, toastError } from "../../ui/toasts.js";
import { BulkPreview } from "./bulk-preview.js";

export type BulkAction = "cancel" | "retry";

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly target: { readonly runIds: readonly string[] } | { readonly filter: RunListQuery };
  readonly nameOf: (runId: string) => string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const WORDS = {
  cancel: { title: "Cancel runs", verb: "Cancel", dismiss: "Keep running", done: "Cancelling" },
  retry: { title: "Retry runs", verb: "Retry", dismiss: "Cancel", done: "Retrying" },
} as const;

export function BulkDialog({ action, target, nameOf, onClose, onDone }: BulkDialogProps) {
  const words = WORDS[action];
  const which = "runIds" in target ? { runIds: [...target.runIds] } : { filter: filterOf(target.filter) };
  const { data, error, refetch } = useQuery({
    queryKey: ["bulk-preview", action, which],
    queryFn: () => client.actOnRuns({ action, ...which, dryRun: true }),
    staleTime: Infinity, // the preview must not change while the user confirms it
    gcTime: 0,
    retry: false,
  });
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.actOnRuns({ action, runIds: acceptedIds(data) }),
    onSuccess: ({ accepted, refused }) => {
      toast(`${words.done} ${counted(accepted, "run")}${refused > 0 ? `, ${refused} rejected` : ""}`);
      onDone();
      onClose();
    },
    onError: toastError,
  });
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.dismiss}</Button>
          <Button
            variant={action === "cancel" ? "danger" : "primary"}
            disabled={isPending || (data?.accepted ?? 0) === 0}
            onClick={() => mutate()}
          >
            {data === undefined ? words.verb : `${words.verb} ${counted(data.accepted, "run")}`}
          </Button>
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Loading preview" lines={4} />}
      {data !== undefined && <BulkPreview action={action} outcome={data} nameOf={nameOf} />}
    </Dialog>
  );
}

/** Request bodies take labels as a list. */
function filterOf({ labels, status, ...query }: RunListQuery): NonNullable<BulkRequest["filter"]> {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`);
  return { ...query, ...(status !== undefined && { status: [...status] }), ...(pairs.length > 0 && { labels: pairs }) };
}

function acceptedIds(outcome: BulkOutcome | undefined): string[] {
  return outcome?.items.filter(({ accepted }) => accepted).map(({ runId }) => runId) ?? [];
}
