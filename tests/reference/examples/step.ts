import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const booked = new Set<string>();

const trip = workflow("trip", { version: "1", compensateOn: ["failure"] }, (w) => {
  const hotel = w.step(
    "hotel",
    {},
    ({ idempotencyKey }) => {
      booked.add(idempotencyKey);
      return { booking: idempotencyKey };
    },
    { compensate: ({ output }) => void booked.delete(output.booking) },
  );
  w.step("flight", { needs: { hotel } }, () => {
    throw new Error("no seat is left");
  });
});

await using ledger = await testLedger({ workflows: [trip] });
const { status, culprit } = await (await ledger.start(trip)).ended();
assert.deepEqual({ status, culprit, booked: booked.size }, { status: "FAILED", culprit: "flight", booked: 0 });
