import type { Subscription } from "@runledger/client";
import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { client } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { explain } from "../ui/states.js";
import { toast } from "../ui/toasts.js";
import { BusFields } from "./bus-fields.js";
import { StartField } from "./start-field.js";
import { draftOf, EMPTY_DRAFT, problemOf, requestOf, type Draft } from "./subscription-form.js";
import { TextField } from "./text-field.js";
import { refreshOutbox } from "./use-subscriptions.js";

interface SubscriptionDialogProps {
  /** `null` to create one. */
  readonly subscription: Subscription | null;
  readonly onClose: () => void;
}

export function SubscriptionDialog({ subscription, onClose }: SubscriptionDialogProps) {
  const isNew = subscription === null;
  const [draft, setDraft] = useState(isNew ? EMPTY_DRAFT : draftOf(subscription));
  const [from, setFrom] = useState("now");
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.putSubscription(draft.id.trim(), requestOf(draft, isNew ? from : undefined)),
    onSuccess: ({ subscriptionId }) => {
      toast(`Subscription ${subscriptionId} ${isNew ? "created" : "saved"}`);
      refreshOutbox();
      onClose();
    },
  });
  const problem = problemOf(draft) ?? (error === null ? null : explain(error).detail);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (problemOf(draft) === null) mutate();
  };
  return (
    <Dialog
      title={isNew ? "Create subscription" : `Edit ${subscription.subscriptionId}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="subscription-form" variant="primary" disabled={isPending}>
            {isNew ? "Create" : "Save"}
          </Button>
        </>
      }
    >
      <form id="subscription-form" className="form" onSubmit={submit}>
        {isNew && <TextField label="Name" required value={draft.id} onChange={(id) => change({ id })} />}
        <BusFields draft={draft} onChange={change} />
        <FilterFields draft={draft} onChange={change} />
        {isNew && <StartField label="Start from" initial="now" onChange={setFrom} />}
        {problem !== null && (
          <p className="tone-bad" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function FilterFields({ draft, onChange }: FieldsProps) {
  return (
    <fieldset className="fields">
      <legend>Events</legend>
      <TextField
        label="Workflows"
        placeholder="All, or ids separated by commas"
        value={draft.workflows}
        onChange={(workflows) => onChange({ workflows })}
      />
      <TextField
        label="Event types"
        placeholder="All, or RunCompleted, RunFailed"
        value={draft.eventTypes}
        onChange={(eventTypes) => onChange({ eventTypes })}
      />
      <TextField
        label="Labels"
        placeholder="Any, or team=blue"
        value={draft.labels}
        onChange={(labels) => onChange({ labels })}
      />
      <TextField
        label="Attempts before an event becomes a dead letter"
        type="number"
        min={1}
        max={1000}
        required
        value={draft.maxAttempts}
        onChange={(maxAttempts) => onChange({ maxAttempts })}
      />
    </fieldset>
  );
}
