/** A process of child.mjs: what follows the ledger and runs no steps. */
import { connect } from "runledger";

const [url, ...parts] = process.argv.slice(2);
const ledger = await connect(url);
if (parts.includes("projector")) ledger.projector();
if (parts.includes("scheduler")) ledger.scheduler();
if (parts.includes("outbox")) ledger.outbox({ allowAddresses: ["127.0.0.1"] });

process.on("message", (message) => {
  if (message === "stop") return void stop();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000, maxRssMb: process.resourceUsage().maxRSS / 1024 });
});

async function stop() {
  await ledger.close();
  process.disconnect();
}

process.send?.("ready");
