import { defineConfig } from "runledger";

export default defineConfig({
  workflows: ["./workflows/*.yaml"],
  worker: { connections: { default: process.env["WAREHOUSE"] ?? "postgres://localhost/warehouse" } },
});
