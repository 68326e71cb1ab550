/** A real ZooKeeper from Maven, with its data in a folder. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";
import { requireTool, type Requirement } from "./requirements.js";

export const requireZookeeper: readonly Requirement[] = [requireTool("java"), requireTool("mvn")];

const VERSION = "3.9.3";
/** ZooKeeper needs the last two at run time, and does not declare them. */
const ARTIFACTS = [
  ["org.apache.zookeeper", "zookeeper", VERSION],
  ["io.dropwizard.metrics", "metrics-core", "4.1.12.1"],
  ["org.xerial.snappy", "snappy-java", "1.1.10.5"],
] as const;

/** Sessions expire after 400 ms of silence or later: two ticks. */
const TICK_MS = 200;

export async function startZookeeper(): Promise<BrokerServer> {
  const jars = join(await zookeeperJars(), "jars", "*");
  return BrokerServer.start("zookeeper", async (port, folder) => {
    const settings = join(folder, "zoo.cfg");
    writeFileSync(settings, zookeeperSettings(port, folder), { mode: 0o644 });
    const java = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", jars];
    return { command: "java", args: [...java, "org.apache.zookeeper.server.ZooKeeperServerMain", settings] };
  });
}

function zookeeperSettings(port: number, folder: string): string {
  return Object.entries({
    dataDir: join(folder, "data"),
    clientPort: port,
    clientPortAddress: "127.0.0.1",
    tickTime: TICK_MS,
    maxSessionTimeout: 60_000,
    maxClientCnxns: 0,
    "admin.enableServer": false,
  })
    .map((setting) => setting.join("="))
    .join("\n");
}

function zookeeperJars(): Promise<string> {
  return cached(`zookeeper-${VERSION}`, async (draft) => {
    const dependencies = ARTIFACTS.map(
      ([group, name, version]) =>
        `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
    );
    const self = "<modelVersion>4.0.0</modelVersion><groupId>r</groupId><artifactId>r</artifactId><version>1</version>";
    const project = `<project>${self}<dependencies>${dependencies.join("")}</dependencies></project>`;
    writeFileSync(join(draft, "pom.xml"), project);
    const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(draft, "jars")}`];
    const { code, stdout } = await capture("mvn", args, { cwd: draft, timeoutMs: 600_000 });
    if (code !== 0) throw new Error(`mvn ${args.join(" ")} failed: ${stdout}`);
    chmodSync(draft, 0o755); // the server runs as another user
  });
}
