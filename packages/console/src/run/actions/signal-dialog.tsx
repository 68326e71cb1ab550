import type { Json } from "@runledger/contracts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api/client.js";
import { usePlan } from "../../api/use-plan.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { SchemaForm } from "../../ui/schema-form.js";
import { Loading } from "../../ui/states.js";
import { toast, toastError } from "../../ui/toasts.js";
import type { RunView } from "../model/view.js";

interface SignalDialogProps {
  readonly runId: string;
  readonly view: RunView;
  /** The signal that a step waits for. */
  readonly name?: string;
  readonly onClose: () => void;
}

export function SignalDialog({ runId, view, name, onClose }: SignalDialogProps) {
  const awaited = name ?? view.rows.find(({ status, signal }) => status === "WAITING" && signal !== null)?.signal;
  const known = usePlan(runId);
  const declared = Object.keys(known?.signalSchemas ?? {});
  const [typed, setName] = useState<string | null>(null);
  const chosen = typed ?? awaited ?? declared[0] ?? "";
  const { mutate, isPending } = useMutation({
    mutationFn: (value: Json) => client.signal(runId, chosen, value),
    onSuccess: () => {
      toast(`Signal “${chosen}” sent`);
      onClose();
    },
    onError: toastError,
  });
  return (
    <Dialog
      title="Send signal"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="signal-form" variant="primary" disabled={isPending || chosen === ""}>
            Send
          </Button>
        </>
      }
    >
      <label className="labelled">
        <span>Name</span>
        {declared.length > 0 ? (
          <select className="field" value={chosen} onChange={({ target }) => setName(target.value)}>
            {declared.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <input className="field" value={chosen} required onChange={({ target }) => setName(target.value)} />
        )}
      </label>
      {known === undefined ? (
        <Loading label="Loading signal schema" lines={2} />
      ) : (
        <SchemaForm
          key={chosen}
          id="signal-form"
          label="Payload"
          schema={known?.signalSchemas[chosen] ?? null}
          onSubmit={mutate}
        />
      )}
      <p className="quiet">The signal is recorded with your name and kept until the run waits for it.</p>
    </Dialog>
  );
}
