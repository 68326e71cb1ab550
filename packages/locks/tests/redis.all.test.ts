// @module-tag H-20
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireRedis, startRedis } from "@runledger/test-support/brokers";
import { flushRedis } from "@runledger/test-support/redis-client";
import { describeWith } from "@runledger/test-support/requirements";
import { lockConformance } from "./lock-conformance.js";

describeWith("locks in Redis", requireRedis, () => {
  lockConformance({
    scheme: "redis",
    start: startRedis,
    forget: flushRedis,
    copy: async (server) => {
      const folder = join(server.folder, "appendonlydir");
      const files = readdirSync(folder).map((name) => [join(folder, name), readFileSync(join(folder, name))] as const);
      return async () => {
        await server.kill();
        for (const [path, content] of files) writeFileSync(path, content); // in place: the server's user owns them
        await server.start();
      };
    },
  });
});
