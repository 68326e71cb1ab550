import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, secret, workflow } from "runledger";
import { z } from "zod";

const api = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(`{"rate":1.1}`);
});
await new Promise<void>((resolve) => void api.listen(0, "127.0.0.1", resolve));
const { port } = api.address() as AddressInfo;

const tools = workflow("tools", { version: "1", input: z.object({ day: z.string() }) }, (w) => {
  const printed = w.command("print", {
    run: ({ input }) => [process.execPath, "-p", `"day ${input.day}"`],
    cwd: ".",
    env: { PASSWORD: { secret: "db-password" } },
  });
  const rate = w.http("rate", {
    request: ({ input }) => ({
      method: "POST",
      url: `http://127.0.0.1:${port}/rates`,
      headers: { authorization: secret("api-token", { prefix: "Bearer " }) },
      body: { day: input.day },
    }),
    body: z.object({ rate: z.number() }),
  });
  const orders = w.sql("orders", {
    connection: "warehouse",
    text: "SELECT $1::text AS day, 3 AS count",
    params: ({ input }) => [input.day],
    row: z.object({ day: z.string(), count: z.number() }),
  });
  const double = w.task("double", {
    kind: "double",
    needs: { orders },
    with: ({ needs }) => ({ value: needs.orders[0]!.count }),
  });
  return w.step("sum", { needs: { printed, rate, double } }, ({ needs }) => ({
    exitCode: needs.printed.exitCode,
    rate: needs.rate.body.rate,
    double: needs.double,
  }));
});

await using ledger = await connect("memory:");
await ledger.worker({
  workflows: [tools],
  connections: { warehouse: process.env["WAREHOUSE_URL"]! },
  runners: { double: async ({ options }) => (options as { value: number }).value * 2 },
  secrets: { resolve: async (refs) => Object.fromEntries(refs.map(({ name }) => [name, `a long ${name}`])) },
});
const run = await ledger.start(tools, { input: { day: "2026-11-14" } });
assert.deepEqual(await run.result(), { exitCode: 0, rate: 1.1, double: 6 });
api.close();
