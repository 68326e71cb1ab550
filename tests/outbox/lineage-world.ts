/** A ledger on PostgreSQL with a receiver of its lineage, and runs of every outcome. */
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { connect, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { LineageReceiver, type LineageEvent } from "./lineage-receiver.js";
import { broken, endless, PAYLOAD, report, shop } from "./lineage-workflows.js";

export const API_KEY = "key-of-the-receiver";

export class LineageWorld {
  readonly url: string;
  readonly ledger: Ledger;
  readonly receiver: LineageReceiver;

  constructor(url: string, ledger: Ledger, receiver: LineageReceiver) {
    this.url = url;
    this.ledger = ledger;
    this.receiver = receiver;
  }

  static async open(): Promise<LineageWorld> {
    const database = await freshDatabase();
    const ledger = await connect(database.url);
    const receiver = await new LineageReceiver().start();
    onTestFinished(async () => {
      await ledger.close();
      await receiver.stop();
      await database.drop();
    });
    const bus = { type: "openlineage", url: receiver.url, namespace: "prod", secret: "lineage-key" };
    await ledger.subscriptions.put({ id: "lineage", bus, from: "beginning" });
    return new LineageWorld(database.url, ledger, receiver);
  }

  deliver(): void {
    const secrets = { resolve: async () => ({ "lineage-key": API_KEY }) };
    this.ledger.outbox({ secrets, allowAddresses: ["127.0.0.1"], pollMs: 20 });
  }

  /** A run that succeeds with a retry, a child and a loop, one that fails, and one that is paused, resumed and cancelled. */
  async play(): Promise<void> {
    const worker = await this.ledger.worker({ workflows: [shop, report, broken, endless], pollMs: 20 });
    await (await this.ledger.start(shop, { input: undefined, labels: { note: PAYLOAD } })).result();
    await (await this.ledger.start(broken)).result().catch(() => null);
    const run = await this.ledger.start(endless);
    await until(async () => (await run.snapshot()).status === "RUNNING");
    await run.pause();
    await until(async () => (await run.snapshot()).status === "PAUSED");
    await run.resume();
    await until(async () => (await run.snapshot()).status === "RUNNING");
    await run.cancel();
    await run.result().catch(() => null);
    await worker.stop();
  }

  /** Resolves once everything that was played is delivered, after the first events that the receiver accepted. */
  async delivered(after = 0): Promise<void> {
    const isLast = ({ job, eventType }: LineageEvent): boolean => job.name === "endless" && eventType === "ABORT";
    await until(() => this.receiver.events.slice(after).some(isLast)); // the outbox may not have read it yet
    await until(async () => {
      const { pendingRuns, isFilling } = await this.ledger.subscriptions.status("lineage");
      return pendingRuns === 0 && !isFilling;
    });
  }
}
