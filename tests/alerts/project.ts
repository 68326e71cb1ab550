/** The files of a project whose workflows and sources make every alert possible. */

/** Steps wait for the file of this name, so that a test decides when they continue. */
export const GATES = "gates";

const config = `import { sources } from "./source.js";
export default {
  workflows: ["./workflows.js"],
  worker: { leaseMs: 3000, checkpointInterval: 10, stateStore: { writeLatencyBudgetMs: 5000 } },
  outbox: { allowAddresses: ["127.0.0.1"] },
  triggers: { sources },
  alerts: { webhook: { url: process.env.ALERTS_URL, secrets: ["alert-key"] }, allowAddresses: ["127.0.0.1"] },
};`;

/** A source whose only message is not JSON. */
const source = `export const sources = {
  broken: {
    open: () => ({
      consume: async ({ handle, onReady, signal }) => {
        onReady();
        await handle({ id: "bad", body: "{", headers: {}, position: "broken@1", storedAt: Date.now() + 60_000 });
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    }),
  },
};`;

const workflows = `import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workflow } from "runledger";
import { z } from "zod";

const gates = process.env.GATES;
const gate = async (name) => {
  while (!existsSync(join(gates, name))) await new Promise((resolve) => setTimeout(resolve, 20));
};

export const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));

export const wide = workflow("wide", { version: "1" }, (w) => {
  const each = w.forEach("items", { items: () => Array.from({ length: 20 }, (_, n) => n) }, (inner) => inner.step("one", () => null));
  const go = w.waitForSignal("go", { after: [each] });
  return w.step("last", { after: [go] }, () => "done");
});

const state = { schema: z.object({ text: z.string() }), initial: { text: "x".repeat(120_000) } };
export const heavy = workflow("heavy", { version: "1", state }, (w) => w.waitForSignal("go"));

export const gated = workflow("gated", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  return w.step("second", { after: [first] }, () => gate("gated"));
});

export const held = workflow("held", { version: "1" }, (w) => w.step("one", () => gate("held")));

/** Kills its worker twice. */
export const deadly = workflow("deadly", { version: "1" }, (w) =>
  w.step("kill", () => {
    const kills = readdirSync(gates).filter((name) => name.startsWith("kill-")).length;
    if (kills >= 2) return kills;
    writeFileSync(join(gates, "kill-" + kills), "");
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  }),
);
`;

export const files = {
  "runledger.config.js": config,
  "source.js": source,
  "workflows.js": workflows,
  [`${GATES}/README`]: "",
};
