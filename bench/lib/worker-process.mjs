/** The process of child.mjs. */
import { connect } from "runledger";
import { waiting, wide } from "./workflows.mjs";

const ledger = await connect(process.argv[2]);
await ledger.worker({ workflows: [wide, waiting] });

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
