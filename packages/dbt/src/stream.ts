/** Follows the output of one dbt process. */
import type { StepContext } from "@runledger/runtime/engine/step-context";
import { parseEvent, type DbtEvent } from "./events.js";

/** Number of error messages that are kept for the step's error. The log has all of them. */
const MAX_ERRORS = 20;

export class DbtStream {
  readonly #log: StepContext["log"];
  readonly #onEvent: (event: DbtEvent) => void;
  readonly #errors: string[] = [];
  invocationId = "";
  /** `null` until dbt has reported the end of its command. */
  success: boolean | null = null;
  /** Number of nodes that dbt announced. */
  announced: number | null = null;
  /** Number of lines that look like an event and are not. */
  damaged = 0;

  constructor(log: StepContext["log"], onEvent: (event: DbtEvent) => void) {
    this.#log = log;
    this.#onEvent = onEvent;
  }

  readonly addLine = (line: string): void => {
    const event = parseEvent(line);
    if (event !== null) return this.#add(event);
    if (line.startsWith("{")) this.damaged++;
    this.#log(line);
  };

  readonly addErrorLine = (line: string): void => {
    this.#remember(line);
    this.#log(line);
  };

  /** The last error messages of dbt. */
  get errors(): string {
    return this.#errors.join("\n");
  }

  #add(event: DbtEvent): void {
    const { name, level, message, invocationId, data } = event;
    if (invocationId !== "") this.invocationId = invocationId;
    if (name === "CommandCompleted") this.success = data["success"] === true;
    if (name === "ConcurrencyLine" && typeof data["node_count"] === "number") this.announced = data["node_count"];
    if (level === "error") this.#remember(message);
    if (level !== "debug" && message !== "") this.#log(message, level === "info" ? undefined : { level });
    this.#onEvent(event);
  }

  #remember(message: string): void {
    this.#errors.push(message);
    if (this.#errors.length > MAX_ERRORS) this.#errors.shift();
  }
}
