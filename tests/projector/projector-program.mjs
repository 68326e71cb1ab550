// One projector in a process of its own. It says what it has, and dies or stops where it is told to.
//   node projector-program.mjs <store url> [crash point] [how often it is passed first] [signal]
import { connect } from "runledger";

const [url = "", crashPoint = "", passes = "0", signal = "SIGKILL"] = process.argv.slice(2);
let left = Number(passes);

const ledger = await connect(url);
const projector = ledger.projector({
  pollMs: 20,
  memberTtlMs: 900,
  at: (point) => {
    if (point === crashPoint && left-- === 0) process.kill(process.pid, signal);
  },
});
setInterval(() => console.log(JSON.stringify({ partitions: projector.partitions, metrics: metrics() })), 50);
process.on("SIGTERM", () => void ledger.close().then(() => process.exit()));

/** Values by name and labels; of a histogram, how many were observed. */
function metrics() {
  const samples = ledger.metrics
    .snapshot()
    .flatMap(({ name, samples: all }) => all.map((sample) => ({ name, ...sample })));
  return Object.fromEntries(
    samples.map(({ name, labels, value, buckets }) => {
      const about = Object.entries(labels)
        .map(([key, of]) => `{${key}=${of}}`)
        .join("");
      return [`${name.replace("runledger_", "")}${about}`, buckets?.at(-1)?.count ?? value];
    }),
  );
}
