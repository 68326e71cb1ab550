/** The runs that the user has selected for a bulk action. */
import { useCallback, useMemo, useState } from "react";

export interface Selection {
  readonly runIds: ReadonlySet<string>;
  /** All runs that match the filter are selected, including those that are not loaded. */
  readonly isEverything: boolean;
  toggle(runId: string): void;
  /** Replaces the selection. */
  set(runIds: readonly string[]): void;
  selectEverything(): void;
}

interface SelectedRuns {
  readonly runIds: ReadonlySet<string>;
  readonly isEverything: boolean;
}

/** The checkbox in the header selects at most this many runs. */
export const MAX_SELECTED = 100;

const NOTHING: SelectedRuns = { runIds: new Set(), isEverything: false };

export function useSelection(): Selection {
  const [selected, setSelected] = useState(NOTHING);
  const toggle = useCallback((runId: string): void => {
    setSelected(({ runIds }) => {
      const next = new Set(runIds);
      if (!next.delete(runId)) next.add(runId);
      return { runIds: next, isEverything: false };
    });
  }, []);
  const set = useCallback(
    (runIds: readonly string[]): void =>
      setSelected(runIds.length === 0 ? NOTHING : { runIds: new Set(runIds), isEverything: false }),
    [],
  );
  const selectEverything = useCallback((): void => setSelected(({ runIds }) => ({ runIds, isEverything: true })), []);
  return useMemo(() => ({ ...selected, toggle, set, selectEverything }), [selected, toggle, set, selectEverything]);
}
