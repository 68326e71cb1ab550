/** Runs the body of a procedure with only the language and Snowflake's API, which is synchronous. */
import vm from "node:vm";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";

/**
 * @typedef {{ sqlText: string, binds: readonly unknown[] }} Asked
 * @typedef {{ rows: unknown[][], error?: string }} Answer
 * @typedef {{ body: string, names: string[], values: unknown[], preparation: string, flag: SharedArrayBuffer,
 *   port: import("node:worker_threads").MessagePort }} Given
 */

const { body, names, values, port, flag, preparation } = /** @type {Given} */ (workerData);
const signal = new Int32Array(flag);

/** Blocks the thread until the other side responds, as a procedure does. @param {Asked} asked */
function execute(asked) {
  Atomics.store(signal, 0, 0);
  port.postMessage({ sqlText: asked.sqlText, binds: [...asked.binds] });
  Atomics.wait(signal, 0, 0);
  const { rows, error } = /** @type {{ message: Answer }} */ (receiveMessageOnPort(port)).message;
  if (error !== undefined) throw new Error(error);
  let at = -1;
  return {
    next: () => ++at < rows.length,
    getColumnCount: () => rows[at]?.length,
    getColumnValue: (/** @type {number} */ column) => rows[at]?.[column - 1],
  };
}

const context = vm.createContext({ snowflake: { execute }, given: JSON.stringify(values) });
vm.runInContext(preparation, context);
const source = `(function (${names.join(", ")}) { ${body}\n}).apply(null, JSON.parse(given))`;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(outcome());

function outcome() {
  try {
    return { result: JSON.stringify(vm.runInContext(source, context)) };
  } catch (error) {
    return { error: /** @type {Error} */ (error).message };
  }
}
