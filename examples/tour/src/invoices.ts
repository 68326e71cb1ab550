import { setTimeout as sleep } from "node:timers/promises";
import { FatalStepError, workflow } from "runledger";
import { z } from "zod";

const month = z.object({ month: z.string(), strict: z.boolean() });

/** A supplier's file with an invalid line. */
const LINES = ["A-1;120.00", "A-2;80.50", "A-3;eighty", "A-4;12.25"];

function amountOf(line: string, at: number): number {
  const amount = Number(line.split(";")[1]);
  if (Number.isNaN(amount))
    throw new FatalStepError("INVOICE_INVALID", `line ${at + 1}: "${line}" has no amount. Ask the supplier to fix it.`);
  return amount;
}

/** Fails at the invalid line. Completed steps are kept, and a retry starts at the failed step. */
export const invoices = workflow("invoices", { version: "1.0.0", input: month }, (w) => {
  const download = w.step("download", async () => {
    await sleep(300);
    return { lines: LINES };
  });
  const parse = w.step("parse", { needs: { download } }, async ({ needs, input, log }) => {
    log("parsing", { month: input.month, lines: needs.download.lines.length });
    await sleep(150);
    const amounts = input.strict ? needs.download.lines.map(amountOf) : [120, 80.5, 12.25];
    return { count: amounts.length, total: amounts.reduce((sum, amount) => sum + amount, 0) };
  });
  const book = w.step("book", { needs: { parse } }, ({ needs }) => ({ booked: needs.parse.count }));
  return w.step("report", { needs: { parse, book } }, ({ needs }) => ({ total: needs.parse.total }));
});
