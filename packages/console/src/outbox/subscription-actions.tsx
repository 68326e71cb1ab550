import { Menu } from "@base-ui/react/menu";
import type { Subscription } from "@runledger/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRefusal } from "../api/session.js";
import { Button, buttonClass } from "../ui/button.js";
import { ConfirmDialog } from "../ui/confirm-dialog.js";
import { Icon } from "../ui/icon.js";
import { toast, toastError } from "../ui/toasts.js";
import { RewindDialog } from "./rewind-dialog.js";
import { SubscriptionDialog } from "./subscription-dialog.js";
import { refreshOutbox } from "./use-subscriptions.js";

interface ActionsProps {
  readonly subscription: Subscription;
}

export function SubscriptionActions({ subscription }: ActionsProps) {
  return (
    <div className="row-actions">
      <TestButton subscription={subscription} />
      <PauseButton subscription={subscription} />
      <MoreMenu subscription={subscription} />
    </div>
  );
}

function TestButton({ subscription: { subscriptionId } }: ActionsProps) {
  const refusal = useRefusal("operator");
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.testSubscription(subscriptionId),
    onSuccess: ({ isDelivered, error }) =>
      isDelivered ? toast(`${subscriptionId} accepted a test event`) : toastError(new Error(error)),
    onError: toastError,
  });
  return (
    <Button size="small" disabled={isPending || refusal !== null} title={refusal ?? undefined} onClick={() => mutate()}>
      Test
    </Button>
  );
}

function PauseButton({ subscription: { subscriptionId, pausedAt } }: ActionsProps) {
  const refusal = useRefusal("operator");
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      pausedAt === null ? client.pauseSubscription(subscriptionId) : client.resumeSubscription(subscriptionId),
    onSuccess: () => {
      toast(`Subscription ${subscriptionId} ${pausedAt === null ? "paused" : "resumed"}`);
      refreshOutbox();
    },
    onError: toastError,
  });
  return (
    <Button size="small" disabled={isPending || refusal !== null} title={refusal ?? undefined} onClick={() => mutate()}>
      {pausedAt === null ? "Pause" : "Resume"}
    </Button>
  );
}

function MoreMenu({ subscription }: ActionsProps) {
  const { subscriptionId } = subscription;
  const refusal = useRefusal("engineer");
  const [open, setOpen] = useState<"edit" | "rewind" | "delete" | null>(null);
  const close = (): void => setOpen(null);
  const { mutate } = useMutation({
    mutationFn: () => client.removeSubscription(subscriptionId),
    onSuccess: () => {
      toast(`Subscription ${subscriptionId} deleted`);
      refreshOutbox();
    },
    onError: toastError,
  });
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          className={buttonClass({ size: "small" })}
          aria-label={`More actions for ${subscriptionId}`}
          disabled={refusal !== null}
          title={refusal ?? undefined}
        >
          <Icon name="down" size={12} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end">
            <Menu.Popup className="popup">
              <Menu.Item className="menu-item" onClick={() => setOpen("edit")}>
                Edit
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpen("rewind")}>
                Rewind
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpen("delete")}>
                Delete
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {open === "edit" && <SubscriptionDialog subscription={subscription} onClose={close} />}
      {open === "rewind" && <RewindDialog subscriptionId={subscriptionId} onClose={close} />}
      {open === "delete" && (
        <ConfirmDialog
          title={`Delete the subscription ${subscriptionId}?`}
          dismiss="Cancel"
          confirm="Delete"
          onConfirm={() => mutate()}
          onClose={close}
        >
          Events that wait are not delivered, and its dead letters are deleted. The log keeps all events.
        </ConfirmDialog>
      )}
    </>
  );
}
