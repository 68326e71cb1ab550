/**
 * A recorded history, told again: its events are folded, and at each of them it is decided what to do next. Pure, so that
 * the same file does it in Node, in a browser and inside Temporal's sandbox.
 */
import { sha256Hex } from "@runledger/contracts";
import { decide, evolve, initialState, toRunSnapshot } from "@runledger/core";

/**
 * @typedef {import("@runledger/contracts").Plan} Plan
 * @typedef {import("@runledger/contracts").CanonicalEngineEvent} CanonicalEngineEvent
 * @typedef {import("@runledger/core").Command} Command
 *
 * `decisions[n]` is what was decided after `events[n]`; `state` is the SHA-256 of the snapshot after all of them.
 * @typedef {{ readonly decisions: readonly (readonly Command[])[], readonly state: string }} Told
 *
 * @typedef {import("@runledger/test-support/histories").History} History
 */

/**
 * @param {Plan} plan
 * @param {readonly CanonicalEngineEvent[]} events
 * @returns {Told}
 */
export function tell(plan, events) {
  let state = initialState(events[0]?.runId ?? "");
  const decisions = events.map((event) => {
    state = evolve(state, event);
    return decide(plan, state);
  });
  return { decisions, state: sha256Hex(canonical(toRunSnapshot(state))) };
}

/**
 * Throws if the replay differs from the recorded history.
 * @param {History} history
 */
export function replay({ name, plan, events, decisions, state }) {
  const told = tell(plan, events);
  told.decisions.forEach((commands, index) => {
    const [now, then] = [canonical(commands), canonical(decisions[index])];
    if (now !== then) throw new Error(`${name}, seq ${index + 1}: it decides ${now}, and has decided ${then}`);
  });
  if (told.state !== state) throw new Error(`${name}: it ends in another state than it did`);
  if (decisions.length !== events.length) throw new Error(`${name}: there is a decision for every event, and no other`);
}

/** Equal values give equal text. @param {unknown} value @returns {string} */
function canonical(value) {
  return JSON.stringify(value, (_, /** @type {unknown} */ part) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
