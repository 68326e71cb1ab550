/** `npm run snowflake:procedures`: writes the migrations that hold the procedures. */
import { writeFileSync } from "node:fs";
import { inRepository } from "./lib/repository.mjs";
import { proceduresSql } from "./lib/snowflake-procedures.mjs";

for (const shape of /** @type {const} */ (["hybrid", "standard"]))
  writeFileSync(
    inRepository(`packages/store-snowflake/migrations/0003-procedures.${shape}.sql`),
    await proceduresSql(shape),
  );
