/** The connection of this page to the hub. */
import { connectHub } from "./connect-hub.js";
import { onVisibilityChange } from "./visibility.js";
import { Watcher } from "./watcher.js";

/** A hidden tab needs no stream, and browsers allow few connections per server. */
function watchWhileVisible(own: Watcher): Watcher {
  onVisibilityChange((isVisible) => (isVisible ? own.resume() : own.pause()));
  return own;
}

let watcher: Watcher | null = null;

export function pageWatcher(): Watcher {
  watcher ??= watchWhileVisible(new Watcher(connectHub().then(({ port }) => port)));
  return watcher;
}
