// @module-tag H-20
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BrokerServer } from "@runledger/test-support/brokers";
import { describeWith } from "@runledger/test-support/requirements";
import { requireZookeeper, startZookeeper } from "@runledger/test-support/zookeeper-server";
import { lockConformance } from "./lock-conformance.js";

const dataOf = ({ folder }: BrokerServer): string => join(folder, "data");

describeWith("locks in ZooKeeper", requireZookeeper, () => {
  lockConformance({
    scheme: "zookeeper",
    start: startZookeeper,
    forget: async (server) => {
      await server.kill();
      rmSync(dataOf(server), { recursive: true });
      await server.start();
    },
    copy: async (server) => {
      const data = dataOf(server);
      await server.kill();
      execFileSync("cp", ["-a", data, `${data}.old`]); // keeps the owner: the server runs as another user
      await server.start();
      return async () => {
        await server.kill();
        rmSync(data, { recursive: true });
        renameSync(`${data}.old`, data);
        await server.start();
      };
    },
  });
});
