import { useSyncExternalStore } from "react";

const query = matchMedia("(max-width: 640px)");

/** As narrow as a telephone: the same width at which the styles change. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
}
