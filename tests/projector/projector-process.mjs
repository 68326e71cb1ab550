// One projector in a process of its own. It says what it has, and dies or stops where it is told to.
//   node projector-process.mjs <store url> [crash point] [how often it is passed first] [signal]
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
setInterval(() => {
  const saves = ledger.metrics.snapshot().find(({ name }) => name === "runledger_projector_saves_total");
  console.log(JSON.stringify({ partitions: projector.partitions, saves: saves?.samples[0]?.value ?? 0 }));
}, 50);
process.on("SIGTERM", () => void ledger.close().then(() => process.exit()));
