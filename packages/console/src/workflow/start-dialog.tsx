import type { RunPlan } from "@runledger/client";
import type { Json } from "@runledger/contracts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { SchemaForm } from "../ui/schema-form.js";
import { explain } from "../ui/states.js";
import { toast } from "../ui/toasts.js";

interface StartDialogProps {
  readonly plan: RunPlan;
  readonly onClose: () => void;
}

/** Builds the form from the input schema. Takes JSON if the server has no schema. */
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
      toast(created ? "Run queued" : "This request id already started this run");
      void navigate({ to: "/runs/$runId", params: { runId }, search: {} });
    },
  });
  return (
    <Dialog
      title={`Start ${planId} ${planVersion}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="start-form" variant="primary" disabled={isPending}>
            Start
          </Button>
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
        <span className="hint">Requests with the same id start only one run.</span>
      </label>
      {approval && <p className="quiet">The run will wait for approval before its first step.</p>}
    </Dialog>
  );
}
