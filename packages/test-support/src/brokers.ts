/** The brokers that the outbox publishes to: Redis and NATS from Debian, Kafka from Maven. */
import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";
import { natsServer, redisServer, requireDebian, unpackDebian } from "./debian-packages.js";
import { requireTool, type Requirement } from "./requirements.js";
import { freePort, serverUser } from "./servers.js";

export { BrokerServer } from "./broker-server.js";

export const requireRedis: readonly Requirement[] = requireDebian;
export const requireNats: readonly Requirement[] = requireDebian;
export const requireKafka: readonly Requirement[] = [requireTool("java"), requireTool("mvn")];

/** The brokers of the tests accept values up to about one megabyte. */
export const MAX_BYTES = 1024 * 1024;

/** Redis that writes every command to its file before it answers. */
export async function startRedis(): Promise<BrokerServer> {
  const { root, env } = await unpackDebian(redisServer);
  return BrokerServer.start("redis", async (port, folder) => {
    const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
    const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder];
    const args = [...place, ...durable, "--proto-max-bulk-len", "1mb"];
    return { command: join(root, "usr/bin/redis-server"), args, env };
  });
}

export async function startNats(): Promise<BrokerServer> {
  const { root, env } = await unpackDebian(natsServer);
  return BrokerServer.start("nats", async (port, folder) => {
    const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder];
    return { command: join(root, "usr/sbin/nats-server"), args, env };
  });
}

const KAFKA = "4.3.1";

/** One node that is broker and controller. */
export async function startKafka(): Promise<BrokerServer> {
  const jars = join(await kafkaJars(), "jars", "*");
  const controllerPort = await freePort();
  return BrokerServer.start("kafka", async (port, folder) => {
    const settings = join(folder, "server.properties");
    writeFileSync(settings, kafkaSettings(port, controllerPort, folder), { mode: 0o644 });
    const java = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", jars];
    const format = ["kafka.tools.StorageTool", "format", "-t", "cnVubGVkZ2VyLXRlc3QtMQ", "-c", settings];
    await promisify(execFile)("java", [...java, ...format], { cwd: folder, ...serverUser() });
    return { command: "java", args: [...java, "kafka.Kafka", settings] };
  });
}

function kafkaSettings(port: number, controllerPort: number, folder: string): string {
  return Object.entries({
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": join(folder, "data"),
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
    "auto.create.topics.enable": false,
  })
    .map((setting) => setting.join("="))
    .join("\n");
}

function kafkaJars(): Promise<string> {
  return cached(`kafka-${KAFKA}`, async (draft) => {
    const kafka = `<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA}</version>`;
    const self = "<modelVersion>4.0.0</modelVersion><groupId>r</groupId><artifactId>r</artifactId><version>1</version>";
    const project = `<project>${self}<dependencies><dependency>${kafka}</dependency></dependencies></project>`;
    writeFileSync(join(draft, "pom.xml"), project);
    const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(draft, "jars")}`];
    const { code, stdout } = await capture("mvn", args, { cwd: draft, timeoutMs: 600_000 });
    if (code !== 0) throw new Error(`mvn ${args.join(" ")} failed: ${stdout}`);
    chmodSync(draft, 0o755); // the broker runs as another user
  });
}
