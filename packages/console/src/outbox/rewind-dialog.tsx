import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { client } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { toast, toastError } from "../ui/toasts.js";
import { StartField } from "./start-field.js";
import { refreshOutbox } from "./use-subscriptions.js";

interface RewindDialogProps {
  readonly subscriptionId: string;
  readonly onClose: () => void;
}

export function RewindDialog({ subscriptionId, onClose }: RewindDialogProps) {
  const [from, setFrom] = useState("beginning");
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.rewindSubscription(subscriptionId, from),
    onSuccess: () => {
      toast(`Subscription ${subscriptionId} rewound`);
      refreshOutbox();
      onClose();
    },
    onError: toastError,
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog
      title={`Rewind ${subscriptionId}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="rewind-form" variant="danger" disabled={isPending || from === ""}>
            Rewind
          </Button>
        </>
      }
    >
      <p>
        The receiver gets events from this point again. Dead letters are forgotten, and “now” skips everything that
        waits.
      </p>
      <form id="rewind-form" className="form" onSubmit={submit}>
        <StartField label="Deliver again from" initial="beginning" onChange={setFrom} />
      </form>
    </Dialog>
  );
}
