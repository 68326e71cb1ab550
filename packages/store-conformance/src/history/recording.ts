import type { Operation, Span } from "./history.js";

type Draft<O> = O extends Operation ? Omit<O, keyof Span> : never;
/** An operation without its span. */
export type OperationDraft = Draft<Operation>;

export interface RecordOptions {
  /** Names the client in messages. Must be unique among the merged histories. Defaults to the process id. */
  readonly client?: string;
  /**
   * Gets every operation twice: when it is called, unanswered, and when it is answered. A client that may be killed
   * writes both to a file; `mergeHistories` keeps the later one.
   */
  readonly onOperation?: (operation: Operation) => void;
}

/** The operations of one client, in call order. */
export class Recording {
  readonly operations: Operation[] = [];
  readonly #client: string;
  readonly #onOperation: (operation: Operation) => void;

  constructor({ client = `process-${process.pid}`, onOperation = () => {} }: RecordOptions) {
    this.#client = client;
    this.#onOperation = onOperation;
  }

  /** Records a call before it is made. The returned function records the answer. */
  call(draft: OperationDraft): (answered: OperationDraft) => void {
    const span = { client: this.#client, id: this.operations.length, invoked: now() };
    this.#note({ ...draft, ...span, returned: null });
    return (answered) => this.#note({ ...answered, ...span, returned: now() });
  }

  /** Records an operation of which only the answer matters: a read, a lease, a checkpoint. */
  observe(invoked: number, draft: OperationDraft): void {
    this.#note({ ...draft, client: this.#client, id: this.operations.length, invoked, returned: now() });
  }

  #note(operation: Operation): void {
    this.operations[operation.id] = operation;
    this.#onOperation(operation);
  }
}

/** Nanoseconds of the machine's monotonic clock, which all its processes share. */
export function now(): number {
  return Number(process.hrtime.bigint());
}
