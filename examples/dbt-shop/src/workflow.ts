import { fileURLToPath } from "node:url";
import { dbt } from "@runledger/dbt";
import { workflow } from "runledger";

const project = fileURLToPath(new URL("../shop", import.meta.url));

/** Builds the shop. Every seed, model, test and snapshot becomes a step inside `build`. */
export function shopWorkflow(database: string) {
  return workflow("dbt-shop", { version: "1.0.0" }, (w) =>
    dbt(w, "build", { project, env: { SHOP_DATABASE: database }, retry: { attempts: 3, delay: "1s" } }),
  );
}
