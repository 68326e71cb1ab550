/** The page's own end of the hub. */
import { connectHub } from "./connect-hub.js";
import { Watcher } from "./watcher.js";

let watcher: Watcher | null = null;

export function pageWatcher(): Watcher {
  watcher ??= new Watcher(connectHub());
  return watcher;
}
