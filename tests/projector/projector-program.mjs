// Runs one projector, prints its metrics, and dies or stops at the given crash point.
//   node projector-program.mjs <store url> [crash point] [times to pass it first] [signal]
import { connect, openMetrics } from "runledger";
import { Projector } from "@runledger/runtime/projector/projector";

const [url = "", crashPoint = "", passes = "0", signal = "SIGKILL"] = process.argv.slice(2);
let left = Number(passes);

const collected = await openMetrics();
const ledger = await connect(url, { metrics: collected });
const projector = new Projector(ledger.store, {
  metrics: collected,
  memberTtlMs: 900,
  at: (point) => {
    if (point === crashPoint && left-- === 0) process.kill(process.pid, signal);
  },
});
setInterval(() => void printState(), 50);
process.on("SIGTERM", () => void stop());

async function printState() {
  console.log(JSON.stringify({ partitions: projector.partitions, metrics: await metrics() }));
}

async function stop() {
  await projector.stop();
  await ledger.close();
  process.exit();
}

/** Values by name and labels; for a histogram, the number of observations. */
async function metrics() {
  const families = await collected.read();
  const samples = families.flatMap(({ name, samples: all }) => all.map((sample) => ({ name, ...sample })));
  return Object.fromEntries(
    samples.map(({ name, labels, value, buckets }) => {
      const about = Object.entries(labels)
        .map(([key, of]) => `{${key}=${of}}`)
        .join("");
      return [`${name.replace("runledger_", "")}${about}`, buckets?.at(-1)?.count ?? value];
    }),
  );
}
