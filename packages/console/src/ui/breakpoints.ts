import { useSyncExternalStore } from "react";
import breakpoints from "./breakpoints.css?raw";

const phone = matchMedia(/--phone (.+);/.exec(breakpoints)![1]!);

/** `true` on a screen as narrow as a phone, as in `@media (--phone)`. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      phone.addEventListener("change", listener);
      return () => phone.removeEventListener("change", listener);
    },
    () => phone.matches,
  );
}
