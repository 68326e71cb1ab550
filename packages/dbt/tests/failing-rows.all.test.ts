// @module-tag D-24
/** Failing rows are kept only if the step asks for them, and only in one artifact. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeWith } from "@runledger/test-support/requirements";
import { requireDbt } from "@runledger/test-support/dbt";
import { everythingOf, logOf } from "@runledger/test-support/run-workflow";
import { EnvSecrets } from "runledger";
import { expect, test } from "vitest";
import { openShop, type ShopParts } from "./shop.js";

const SECRET = "a-very-secret-name-of-a-customer";
const ROW = "person@example.com";

/** A test of the shop finds five rows with a value that is nowhere else, and with a secret. */
async function shopWithRows({ options }: ShopParts) {
  const env = { SHOP_SECRET: { secret: "shop-secret" } }; // its default database is a file of the project
  const select = ["raw_customers", "stg_customers", "every_mail_is_known"];
  const shop = await openShop({
    options: { env, select, threads: 1, ...options },
    worker: { secrets: new EnvSecrets({ RUNLEDGER_SECRET_SHOP_SECRET: SECRET }) },
  });
  const found = `'person' || '@example.com' as mail, '{{ env_var("SHOP_SECRET") }}' as name`;
  const query = `select i, ${found} from range(5) as t(i), (select count(*) from {{ ref('stg_customers') }}) order by i`;
  writeFileSync(join(shop.project, "tests/every_mail_is_known.sql"), query);
  return shop;
}

describeWith("failing rows of dbt tests", requireDbt, () => {
  test("are not kept by default, and with the option only the first ones, in one artifact", async () => {
    const usual = await shopWithRows({});
    const without = await usual.run();
    expect(without.steps.get("test.shop.every_mail_is_known")).toMatchObject({ status: "FAILED" });
    expect(await everythingOf(usual.ledger.store, without.runId)).not.toContain(ROW);

    const { ledger, run } = await shopWithRows({ options: { failingRows: 2 } });
    const shop = await run();
    expect(shop.status).toBe("FAILED"); // the outcome is the same
    const kept = shop.steps.get("build")!.artifacts.filter(({ kind }) => kind === "dbt-failing-rows");
    expect(kept).toHaveLength(1);
    const page = await ledger.store.artifacts.readChunks({ uri: kept[0]!.uri });
    const lines = Buffer.concat(page!.chunks).toString().trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { step: "test.shop.every_mail_is_known", row: { i: 0, mail: ROW } },
      { step: "test.shop.every_mail_is_known", row: { i: 1, mail: ROW } },
    ]);
    expect(await everythingOf(ledger.store, shop.runId)).not.toContain(SECRET);
    expect(JSON.stringify(await ledger.store.fetchEvents(shop.runId))).not.toContain(ROW);
    expect(JSON.stringify(await logOf(ledger.store, shop.runId, "build"))).not.toContain(ROW);
  });
});
