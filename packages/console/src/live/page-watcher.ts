/** The page's own end of the hub. */
import { connectHub } from "./connect-hub.js";
import { whenSeen } from "./when-seen.js";
import { Watcher } from "./watcher.js";

/** A tab that nobody sees needs no stream: a browser has few connections to a server. */
function watchWhileSeen(own: Watcher): Watcher {
  whenSeen((isSeen) => (isSeen ? own.resume() : own.pause()));
  return own;
}

let watcher: Watcher | null = null;

export function pageWatcher(): Watcher {
  watcher ??= watchWhileSeen(new Watcher(connectHub().then(({ port }) => port)));
  return watcher;
}
