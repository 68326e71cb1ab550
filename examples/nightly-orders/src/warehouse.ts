/** Simulates the systems that a real pipeline uses. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Order {
  readonly id: string;
  readonly table: string;
  readonly amount: number;
}

export async function pull(day: string): Promise<Order[]> {
  await sleep(200);
  const tables = ["orders", "refunds", "shipments"];
  return tables.flatMap((table, at) => [1, 2].map((n) => ({ id: `${day}-${table}-${n}`, table, amount: 10 * at + n })));
}

/** Fails at the first attempt because the warehouse is busy. `key` makes the second attempt safe. */
export async function save(orders: readonly Order[], key: string, attempt: number): Promise<readonly string[]> {
  await sleep(100);
  if (attempt === 1) throw new Error(`the warehouse is busy (${key.slice(0, 8)})`);
  return [...new Set(orders.map(({ table }) => table))];
}

export async function analyze(table: string): Promise<{ table: string; rows: number }> {
  await sleep(100);
  return { table, rows: table.length };
}
