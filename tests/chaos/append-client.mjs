// One process of the chaos test: clients that write to the same hot runs, one after the other, until it is killed.
// Everything they do goes to a file before it happens and after it was answered, for the parent to judge.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runClient } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";

const [url = "", name = "", seed = "0", file = ""] = process.argv.slice(2);
const history = openSync(file, "a");
/** @param {unknown} operation */
const onOperation = (operation) => writeSync(history, `${JSON.stringify(operation)}\n`);

/** The server may be down at any moment, also at the first one. @returns {Promise<PostgresStore>} */
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
  await sleep(5); // a server that is down refuses at once; leave it some air to come back
}
