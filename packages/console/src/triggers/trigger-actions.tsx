import type { Trigger } from "@runledger/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRefusal } from "../api/session.js";
import { Button } from "../ui/button.js";
import { ConfirmDialog } from "../ui/confirm-dialog.js";
import { toast, toastError } from "../ui/toasts.js";
import { refreshTriggers } from "./use-triggers.js";

interface ActionsProps {
  readonly trigger: Trigger;
}

export function TriggerActions({ trigger }: ActionsProps) {
  return (
    <div className="row-actions">
      <PauseButton trigger={trigger} />
      <DeleteButton trigger={trigger} />
    </div>
  );
}

function PauseButton({ trigger: { triggerId, pausedAt } }: ActionsProps) {
  const refusal = useRefusal("operator");
  const { mutate, isPending } = useMutation({
    mutationFn: () => (pausedAt === null ? client.pauseTrigger(triggerId) : client.resumeTrigger(triggerId)),
    onSuccess: () => {
      toast(`Trigger ${triggerId} ${pausedAt === null ? "paused" : "resumed"}`);
      refreshTriggers();
    },
    onError: toastError,
  });
  return (
    <Button size="small" disabled={isPending || refusal !== null} title={refusal ?? undefined} onClick={() => mutate()}>
      {pausedAt === null ? "Pause" : "Resume"}
    </Button>
  );
}

function DeleteButton({ trigger: { triggerId } }: ActionsProps) {
  const refusal = useRefusal("engineer");
  const [isOpen, setOpen] = useState(false);
  const { mutate } = useMutation({
    mutationFn: () => client.removeTrigger(triggerId),
    onSuccess: () => {
      toast(`Trigger ${triggerId} deleted`);
      refreshTriggers();
    },
    onError: toastError,
  });
  return (
    <>
      <Button size="small" disabled={refusal !== null} title={refusal ?? undefined} onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`Delete the trigger ${triggerId}?`}
          dismiss="Cancel"
          confirm="Delete"
          onConfirm={() => mutate()}
          onClose={() => setOpen(false)}
        >
          Events start no more runs. Its runs stay.
        </ConfirmDialog>
      )}
    </>
  );
}
