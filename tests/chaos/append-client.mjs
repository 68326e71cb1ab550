// One process of the chaos test: clients that write to the same hot runs until the process is killed. It logs every call
// to a file, before the call and after its response, for the parent to check.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runClient } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";

const [url = "", name = "", seed = "0", file = ""] = process.argv.slice(2);
const history = openSync(file, "a");
/** @param {unknown} operation */
const onOperation = (operation) => writeSync(history, `${JSON.stringify(operation)}\n`);

/** The server may be down at any moment, even at the start. @returns {Promise<PostgresStore>} */
async function openStore() {
  for (;;) {
    try {
      return await PostgresStore.open({ url, migrate: false, poolSize: 4 });
    } catch {
      await sleep(50);
    }
  }
}

const store = await openStore();
for (let round = 0; ; round++) {
  const client = `${name}-${round}`;
  await runClient(store, { client, seed: Number(seed) + round, turns: 10, onOperation });
  await sleep(5); // a stopped server refuses at once; wait for it to come back
}
