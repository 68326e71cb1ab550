/** Runs that were chosen, for what is done to many. */
import { useCallback, useMemo, useState } from "react";

export interface Selection {
  readonly runIds: ReadonlySet<string>;
  /** Whatever fits the filter is meant, also what is not listed yet. */
  readonly isEverything: boolean;
  toggle(runId: string): void;
  /** These and no others. */
  set(runIds: readonly string[]): void;
  chooseEverything(): void;
}

interface Chosen {
  readonly runIds: ReadonlySet<string>;
  readonly isEverything: boolean;
}

/** As many rows as the box at the top chooses. */
export const MOST_CHOSEN = 100;

const NOTHING: Chosen = { runIds: new Set(), isEverything: false };

export function useSelection(): Selection {
  const [chosen, setChosen] = useState(NOTHING);
  const toggle = useCallback((runId: string): void => {
    setChosen(({ runIds }) => {
      const next = new Set(runIds);
      if (!next.delete(runId)) next.add(runId);
      return { runIds: next, isEverything: false };
    });
  }, []);
  const set = useCallback(
    (runIds: readonly string[]): void =>
      setChosen(runIds.length === 0 ? NOTHING : { runIds: new Set(runIds), isEverything: false }),
    [],
  );
  const chooseEverything = useCallback((): void => setChosen(({ runIds }) => ({ runIds, isEverything: true })), []);
  return useMemo(() => ({ ...chosen, toggle, set, chooseEverything }), [chosen, toggle, set, chooseEverything]);
}
