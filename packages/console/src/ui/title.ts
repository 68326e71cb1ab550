import { useEffect } from "react";

/** Sets the title of the tab, so that users can distinguish tabs, history entries and bookmarks. `null` while it is not known. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title === null ? "Runledger" : `${title} · Runledger`;
  }, [title]);
}
