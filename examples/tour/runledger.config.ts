import { defineConfig } from "runledger";

/** The configuration of `npm start`: the workflows of the other examples, and one that fails. */
export default defineConfig({
  workflows: ["./src/**/*.ts", "../nightly-orders/src/workflows/**/*.ts", "../crash-me/src/workflow.ts"],
  samples: [
    {
      name: "finished",
      workflow: "nightly-orders",
      input: { day: "2026-11-13" },
      actions: ["APPROVE"],
      signals: { release: { by: "you" } },
      shows: "completed, after a retry",
    },
    { name: "waiting", workflow: "nightly-orders", input: { day: "2026-11-14" }, shows: "waits for your approval" },
    {
      name: "failed",
      workflow: "invoices",
      input: { month: "2026-10", strict: true },
      shows: "failed: see the error, and retry from that step",
    },
    { name: "to-crash", workflow: "crash-me", input: { stepMs: 30_000 }, shows: "runs for a minute: kill its worker" },
  ],
});
