import assert from "node:assert/strict";
import { connect, EnvSecrets, openMetrics, workflow } from "runledger";

const hello = workflow("hello", { version: "1" }, (w) => w.task("greet", { kind: "greet", with: { name: "Ada" } }));

await using ledger = await connect("memory:");
const worker = await ledger.worker({
  workflows: [hello],
  concurrency: 20,
  tenants: ["default", "acme"],
  leaseMs: 10_000,
  pollMs: 50,
  checkpointInterval: 100,
  stateStore: { writeLatencyBudgetMs: 3000 },
  onFault: ({ runId, error }) => console.error(runId, error),
  onAlert: ({ code, message }) => console.error(code, message),
  metrics: await openMetrics(),
  runners: { greet: async ({ options }) => `Hello, ${(options as { name: string }).name}.` },
  secrets: new EnvSecrets({ RUNLEDGER_SECRET_API_TOKEN: "a long secret" }),
  connections: { default: "postgres://user@db.example/warehouse" },
  perTenant: { acme: { connections: { default: "postgres://acme@db.example/acme" } } },
  environment: { PATH: process.env["PATH"] },
  commandGraceMs: 2_000,
  published: true,
  allowPublished: { command: ["psql"], sql: ["default"] },
  onProgress: ({ stepId, done }) => console.log(stepId, done),
});
assert.equal(await (await ledger.start(hello)).result(), "Hello, Ada.");
await worker.stop();
