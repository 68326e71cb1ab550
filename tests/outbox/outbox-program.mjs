// Runs one outbox, and dies or stops at the given crash point.
//   node outbox-program.mjs <store url> [crash point] [times to pass it first] [signal]
import { connect } from "runledger";
import { Outbox } from "@runledger/runtime/outbox/outbox";

const [url = "", crashPoint = "", passes = "0", signal = "SIGKILL"] = process.argv.slice(2);
let left = Number(passes);

const ledger = await connect(url);
const options = { memberTtlMs: 900, holdMs: 1500, publishTimeoutMs: 700, allowAddresses: ["127.0.0.1"] };
const outbox = new Outbox(ledger.store, options, {
  secrets: {
    resolve: async (refs) => Object.fromEntries(refs.map(({ name }) => [name, "whsec_c2VjcmV0LXNlY3JldA=="])),
  },
  at: (point) => {
    if (point === crashPoint && left-- === 0) process.kill(process.pid, signal);
  },
});
console.log("ready");
process.on("SIGTERM", () => void stop());

async function stop() {
  await outbox.stop();
  await ledger.close();
  process.exit();
}
