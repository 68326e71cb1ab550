import type { OutboxStore } from "@runledger/contracts";
import type { Db } from "./db.js";
import { deadLetters } from "./dead-letters.js";
import { deliveries } from "./deliveries.js";
import { subscriptions } from "./subscriptions.js";

export function outbox(db: Db): OutboxStore {
  return { ...subscriptions(db), ...deliveries(db), ...deadLetters(db) };
}
