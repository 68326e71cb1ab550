/** Tells when the tab is hidden and when it is seen again, until it is told to stop. */
export function whenSeen(listener: (isSeen: boolean) => void): () => void {
  const tell = (): void => listener(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", tell);
  return () => document.removeEventListener("visibilitychange", tell);
}
