// Consumes triggers of one broker, and dies at the given crash point.
//   node consumer-program.mjs <store url> <kafka|nats|redis> <address> <place> [crash point] [times to pass it first]
import { connect, kafkaSource, natsSource, redisSource } from "runledger";
import { realTimers } from "@runledger/runtime/time/timers";
import { Consumers } from "@runledger/runtime/triggers/consumers";
import { workflowFinder } from "@runledger/runtime/triggers/find-workflow";

const [url = "", kind = "", address = "", place = "", crashPoint = "", passes = "0"] = process.argv.slice(2);
let left = Number(passes);

const open = () => {
  if (kind === "kafka") return kafkaSource({ brokers: [address], topics: [place], client: { sessionTimeout: 6000 } });
  if (kind === "nats") return natsSource({ servers: [address], streams: [place], redeliverAfterMs: 1000 });
  return redisSource({ url: `redis://${address}`, streams: [place], redeliverAfterMs: 1000 });
};
const ledger = await connect(url);
const { store } = ledger;
const consumers = new Consumers({
  store,
  timers: realTimers,
  find: workflowFinder(store, realTimers, []),
  sources: { [kind]: open() },
  pollMs: 100,
  random: () => 0, // the shortest delays
  alert: (alert) => console.log(JSON.stringify(alert)),
  fault: (error) => console.error(error),
  at: (point) => {
    if (point === "run-started") console.log("handled");
    if (point === crashPoint && left-- === 0) process.kill(process.pid, "SIGKILL");
  },
});
console.log("ready");

process.on("SIGTERM", () => void stop());

async function stop() {
  await consumers.stop();
  await ledger.close();
  process.exit();
}
