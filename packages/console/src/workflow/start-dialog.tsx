import type { RunPlan } from "@runledger/client";
import type { Json } from "@runledger/contracts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../api/client.js";
import { Dialog } from "../ui/dialog.js";
import { SchemaForm } from "../ui/schema-form.js";
import { explain } from "../ui/states.js";
import { tell } from "../ui/toasts.js";

interface StartDialogProps {
  readonly plan: RunPlan;
  readonly onClose: () => void;
}

/** The form is made from the input's schema; where the server does not know it, it takes JSON. */
export function StartDialog({ plan, onClose }: StartDialogProps) {
  const { planId, planVersion, inputSchema, approval } = plan;
  const [requestId, setRequestId] = useState("");
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (input: Json) =>
      client.startRun({
        workflow: planId,
        version: planVersion,
        ...(input !== null && { input }),
        ...(requestId !== "" && { requestId }),
      }),
    onSuccess: ({ runId, created }) => {
      tell(created ? "The run is queued" : "The same request had started this run before");
      void navigate({ to: "/runs/$runId", params: { runId }, search: {} });
    },
  });
  return (
    <Dialog
      title={`Start ${planId} ${planVersion}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" form="start-form" className="button primary" disabled={isPending}>
            Start
          </button>
        </>
      }
    >
      {error !== null && (
        <p className="notice bad" role="alert">
          {explain(error).detail}
        </p>
      )}
      <SchemaForm id="start-form" label="Input" schema={inputSchema} onSubmit={mutate} />
      <label className="labelled">
        <span>
          Request id <span className="quiet">optional</span>
        </span>
        <input className="field" value={requestId} onChange={({ target }) => setRequestId(target.value)} />
        <span className="hint">The same id twice starts one run, whoever asks.</span>
      </label>
      {approval && <p className="quiet">The run waits for an approval before its first step.</p>}
    </Dialog>
  );
}
