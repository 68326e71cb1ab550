/** Says what would become of each run before anything happens; what was shown, and nothing else, is then done. */
import type { BulkOutcome, BulkRequest } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { Dialog } from "../../ui/dialog.js";
import { counted } from "../../ui/format.js";
import { Failure, Loading } from "../../ui/states.js";
import { tell, tellFailure } from "../../ui/toasts.js";
import { toQuery, type RunsSearch } from "../search.js";
import { BulkPreview } from "./bulk-preview.js";

export type BulkAction = "cancel" | "retry";

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly target: { readonly runIds: readonly string[] } | { readonly filter: RunsSearch };
  readonly nameOf: (runId: string) => string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const WORDS = {
  cancel: { title: "Cancel runs", verb: "Cancel", leave: "Let them run", done: "being cancelled" },
  retry: { title: "Retry runs", verb: "Retry", leave: "Leave them", done: "running again" },
} as const;

export function BulkDialog({ action, target, nameOf, onClose, onDone }: BulkDialogProps) {
  const words = WORDS[action];
  const which = "runIds" in target ? { runIds: [...target.runIds] } : { filter: filterOf(target.filter) };
  const { data, error, refetch } = useQuery({
    queryKey: ["bulk-preview", action, which],
    queryFn: () => client.actOnRuns({ action, ...which, dryRun: true }),
    staleTime: Infinity, // what is read must not change under the hand that confirms it
    gcTime: 0,
    retry: false,
  });
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.actOnRuns({ action, runIds: acceptedIds(data) }),
    onSuccess: ({ accepted, refused }) => {
      tell(
        `${counted(accepted, "run")} ${accepted === 1 ? "is" : "are"} ${words.done}${refused > 0 ? `, ${refused} refused` : ""}`,
      );
      onDone();
      onClose();
    },
    onError: tellFailure,
  });
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            {words.leave}
          </button>
          <button
            type="button"
            className={`button ${action === "cancel" ? "danger" : "primary"}`}
            disabled={isPending || (data?.accepted ?? 0) === 0}
            onClick={() => mutate()}
          >
            {data === undefined ? words.verb : `${words.verb} ${counted(data.accepted, "run")}`}
          </button>
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Asking what would happen" lines={4} />}
      {data !== undefined && <BulkPreview action={action} outcome={data} nameOf={nameOf} />}
    </Dialog>
  );
}

/** In a body, labels are a list. */
function filterOf(search: RunsSearch): NonNullable<BulkRequest["filter"]> {
  const { labels, status, ...query } = toQuery(search);
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`);
  return { ...query, ...(status !== undefined && { status: [...status] }), ...(pairs.length > 0 && { labels: pairs }) };
}

function acceptedIds(outcome: BulkOutcome | undefined): string[] {
  return outcome?.items.filter(({ accepted }) => accepted).map(({ runId }) => runId) ?? [];
}
