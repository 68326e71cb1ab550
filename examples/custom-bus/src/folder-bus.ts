/** A bus that appends events to a file per day, for programs that read files. */
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "@runledger/contracts";
import { BusUnavailableError, type BusFactory, type BusMessage, type EventBus } from "runledger";

/** Registers as `ledger.outbox({ buses: { folder: folderBus("/var/events") } })`. */
export function folderBus(folder: string): BusFactory {
  return { open: () => new FolderBus(folder), check: (settings) => checkSettings(Object.keys(settings)) };
}

function checkSettings(names: readonly string[]): void {
  const unknown = names.find((name) => name !== "type");
  if (unknown !== undefined) throw new InputError("SUBSCRIPTION_INVALID", `bus.${unknown}`, "is not a setting.");
}

class FolderBus implements EventBus {
  readonly batchSize = 100;
  readonly #folder: string;
  #last: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Messages of several runs are published at once. A file takes one after the other. */
  publish({ events }: BusMessage): Promise<void> {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const written = this.#last.then(() => this.#append(lines));
    this.#last = written.catch(() => {});
    return written;
  }

  async #append(lines: string): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(join(this.#folder, `${new Date().toISOString().slice(0, 10)}.jsonl`), "a");
      await file.appendFile(lines);
      await file.sync(); // accepted means that a crash cannot lose it
    } catch (error) {
      throw new BusUnavailableError(String(error)); // the events are fine: try again later
    } finally {
      await file?.close();
    }
  }
}
