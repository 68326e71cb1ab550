/** Confirms a backfill: how many runs start, how many of them run at once, and their input. */
import type { RunPlan } from "@runledger/client";
import type { BackfillScope, Json } from "@runledger/contracts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api/client.js";
import { queryClient } from "../../api/query-client.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { counted } from "../../ui/format.js";
import { SchemaForm } from "../../ui/schema-form.js";
import { explain } from "../../ui/states.js";
import { toast } from "../../ui/toasts.js";

const MAX_STARTS = 1000;

interface BackfillDialogProps {
  readonly plan: RunPlan;
  readonly only: Exclude<BackfillScope, "both">;
  /** The partitions to start. */
  readonly keys: readonly string[];
  readonly onClose: () => void;
}

export function BackfillDialog({ plan, only, keys, onClose }: BackfillDialogProps) {
  const { planId, inputSchema } = plan;
  const [concurrency, setConcurrency] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: (input: Json) =>
      client.backfillPartitions(planId, {
        keys: [...keys],
        only,
        limit: MAX_STARTS,
        ...(concurrency !== "" && { concurrency: Number(concurrency) }),
        ...(input !== null && { input }),
      }),
    onSuccess: ({ items, remaining, queueFull }) => {
      const started = items.filter((item) => item.started).length;
      toast(`${counted(started, "run")} queued${queueFull ? `; the queue is full, ${remaining} left` : ""}`);
      void queryClient.invalidateQueries({ queryKey: ["partitions", planId] });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Run ${counted(keys.length, `${only} partition`)} of ${planId}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="backfill-form" variant="primary" disabled={isPending}>
            Run {keys.length}
          </Button>
        </>
      }
    >
      {error !== null && (
        <p className="notice bad" role="alert">
          {explain(error).detail}
        </p>
      )}
      <p>
        {keys.length === 1 ? keys[0] : `${keys[0]} to ${keys.at(-1)}`}. Partitions that meanwhile run or have succeeded
        are left alone.
      </p>
      <label className="labelled">
        <span>
          Open runs at once <span className="quiet">optional</span>
        </span>
        <input
          className="field"
          type="number"
          min={1}
          max={MAX_STARTS}
          value={concurrency}
          onChange={({ target }) => setConcurrency(target.value)}
        />
        <span className="hint">Limits all backfills of this workflow. Default: the last number set, or 1.</span>
      </label>
      <SchemaForm id="backfill-form" label="Input" schema={inputSchema} onSubmit={mutate} />
    </Dialog>
  );
}
