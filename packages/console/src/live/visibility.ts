/** Calls the listener when the tab is hidden or shown. Returns a function that stops it. */
export function onVisibilityChange(listener: (isVisible: boolean) => void): () => void {
  const report = (): void => listener(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", report);
  return () => document.removeEventListener("visibilitychange", report);
}
