// The workflow of the partitions' chaos test. Every tenth shop fails in processes with BROKEN.
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";

export const shops = Array.from({ length: 40 }, (_, index) => `shop-${String(index).padStart(2, "0")}`);

export const loadShops = workflow("load-shops", { version: "1", partitions: { by: "key", keys: shops } }, (w) => {
  const load = w.step("load", async ({ partition }) => {
    await sleep(10);
    if (process.env["BROKEN"] === "1" && partition?.key.endsWith("0")) throw new Error("broken");
    return partition?.key ?? "";
  });
  return w.step("publish", { needs: { load } }, ({ needs }) => needs.load);
});
