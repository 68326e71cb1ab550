import type { DeadLetter } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRefusal } from "../api/session.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { counted } from "../ui/format.js";
import { JsonView } from "../ui/json-view.js";
import { Failure, Loading } from "../ui/states.js";
import { toast, toastError } from "../ui/toasts.js";
import { refreshOutbox } from "./use-subscriptions.js";

interface DeadLetterDialogProps {
  readonly letter: DeadLetter;
  readonly onClose: () => void;
}

/** Shows the refused event and its error. The user redrives it, or drops it after a second click. */
export function DeadLetterDialog({ letter, onClose }: DeadLetterDialogProps) {
  const { subscriptionId, runId, runSeq, attempts, error: refused } = letter;
  const { data, error, refetch } = useQuery({
    queryKey: ["dead-letter", subscriptionId, runId, runSeq],
    queryFn: () => client.getDeadLetter(subscriptionId, runId),
  });
  return (
    <Dialog
      title={`Event ${runSeq} for ${subscriptionId}`}
      onClose={onClose}
      footer={<Decision letter={letter} onClose={onClose} />}
    >
      <p>
        Refused after {counted(attempts, "attempt")}. The later events of run <span className="mono">{runId}</span> wait
        behind it.
      </p>
      <p className="tone-bad">{refused}</p>
      {data === undefined && error === null && <Loading label="Loading the event" lines={4} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <JsonView value={data.event ?? undefined} whenAbsent="The event cannot be read from the log." />
      )}
    </Dialog>
  );
}

function Decision({ letter: { subscriptionId, runId }, onClose }: DeadLetterDialogProps) {
  const refusal = useRefusal("operator");
  const [isDropping, setDropping] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: (verb: "redrive" | "drop") =>
      verb === "drop" ? client.dropDeadLetter(subscriptionId, runId) : client.redriveDeadLetter(subscriptionId, runId),
    onSuccess: (_, verb) => {
      toast(verb === "drop" ? "Event dropped; later events follow" : "Event is attempted again");
      refreshOutbox();
      onClose();
    },
    onError: toastError,
  });
  const isOff = isPending || refusal !== null;
  const why = refusal ?? undefined;
  return (
    <>
      <Button onClick={onClose}>Close</Button>
      {isDropping ? (
        <Button variant="danger" disabled={isOff} title={why} onClick={() => mutate("drop")}>
          Drop this event permanently
        </Button>
      ) : (
        <Button variant="danger" disabled={isOff} title={why} onClick={() => setDropping(true)}>
          Drop…
        </Button>
      )}
      <Button variant="primary" disabled={isOff} title={why} onClick={() => mutate("redrive")}>
        Redrive
      </Button>
    </>
  );
}
