/** Starts what is missing or failed among the selected partitions, or among all that are shown. */
import type { RunPlan } from "@runledger/client";
import type { PartitionState } from "@runledger/contracts";
import { useState } from "react";
import { useRefusal } from "../../api/session.js";
import { Button } from "../../ui/button.js";
import { BackfillDialog } from "./backfill-dialog.js";
import type { Partition } from "./looks.js";

type Scope = "missing" | "failed";

const STATES: Readonly<Record<Scope, readonly PartitionState[]>> = {
  missing: ["missing"],
  failed: ["failed", "cancelled"],
};

interface ActionsProps {
  readonly plan: RunPlan;
  readonly chosen: readonly Partition[];
}

export function PartitionActions({ plan, chosen }: ActionsProps) {
  const refusal = useRefusal("operator");
  const [open, setOpen] = useState<{ readonly only: Scope; readonly keys: readonly string[] } | null>(null);
  const keysOf = (only: Scope): readonly string[] =>
    chosen.filter(({ state }) => STATES[only].includes(state)).map(({ key }) => key);
  const button = (only: Scope) => {
    const keys = keysOf(only);
    return (
      <Button
        disabled={refusal !== null || keys.length === 0}
        title={refusal ?? undefined}
        onClick={() => setOpen({ only, keys })}
      >
        Run {only} ({keys.length})
      </Button>
    );
  };
  return (
    <>
      {button("missing")}
      {button("failed")}
      {open !== null && <BackfillDialog plan={plan} {...open} onClose={() => setOpen(null)} />}
    </>
  );
}
