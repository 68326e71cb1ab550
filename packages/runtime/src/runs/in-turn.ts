/**
 * Runs the sends of this process to one run in turn. Each decides on the state that the sends before it have left, so they
 * do not refuse each other. Processes do not wait for each other: the store decides between them.
 */
const turns = new WeakMap<object, Map<string, Promise<void>>>();

/** `hasWaited` is `true` if another send came first. */
export async function inTurn<T>(store: object, runId: string, send: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const ofStore = turns.get(store) ?? new Map<string, Promise<void>>();
  turns.set(store, ofStore);
  const before = ofStore.get(runId);
  const sent = before === undefined ? send(false) : before.then(() => send(true));
  const turn = sent.then(ignore, ignore);
  ofStore.set(runId, turn);
  try {
    return await sent;
  } finally {
    if (ofStore.get(runId) === turn) ofStore.delete(runId);
  }
}

function ignore(): void {}
