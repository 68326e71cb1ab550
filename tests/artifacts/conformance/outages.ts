import { randomBytes } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { until } from "@runledger/test-support/until";
import { openStorage } from "@runledger/runtime/artifacts/open-storage";
import { PlacedArtifacts } from "@runledger/runtime/artifacts/placed-artifacts";
import { bytesOf, pieces, type Location, type Opened } from "./location.js";

const MIB = 1024 * 1024;

/** Changes what passes to the server, or the answers. */
interface Changes {
  readonly up?: (data: Buffer) => Buffer;
  /** `null` cuts the connection. */
  readonly down?: (data: Buffer) => Buffer | null;
}

export function outages({ newRun, storage }: Opened, location: Location): void {
  const through = async (changes: Changes): Promise<PlacedArtifacts> => {
    const address = await proxy(location.address!(), changes);
    const opened = await openStorage(location.via!(address));
    onTestFinished(() => opened.close());
    return new PlacedArtifacts(opened, async () => true);
  };
  const readable = (): PlacedArtifacts => new PlacedArtifacts(storage()!, async () => true);

  test("a read that is cut continues at the missing byte", async () => {
    const content = randomBytes(6_000_000);
    const { kind, ...ref } = await readable().write({
      artifact: { runId: await newRun(), kind: "rows" },
      content: pieces(content),
    });
    let passed = 0;
    let cuts = 0;
    const down = (data: Buffer): Buffer | null => {
      passed += data.byteLength;
      if (passed < 1_500_000 * (cuts + 1) || cuts === 2) return data;
      cuts++;
      return null;
    };
    expect((await bytesOf((await through({ down })).read(ref))).equals(content)).toBe(true);
    expect(cuts).toBe(2);
    expect(kind).toBe("rows");
  });

  test("bytes that change on their way to the server are not stored as an artifact", async () => {
    const runId = await newRun();
    const content = Buffer.alloc(9_000_000, "MARKED-BYTES ");
    let changed = 0;
    const up = (data: Buffer): Buffer => {
      const at = data.indexOf("MARKED-BYTES");
      if (at === -1 || ++changed % 40 !== 1) return data;
      const copy = Buffer.from(data);
      copy[at] = 0x6d;
      return copy;
    };
    const writing = (await through({ up })).write({ artifact: { runId, kind: "rows" }, content: pieces(content) });
    const written = await writing.catch((error: unknown) => (error as { code?: string }).code);
    expect(changed).toBeGreaterThan(0);
    if (typeof written !== "object") return expect(["ARTIFACTS_UNAVAILABLE", "ARTIFACT_DAMAGED"]).toContain(written);
    expect((await bytesOf(readable().read(written))).equals(content)).toBe(true); // a request was repeated
    return undefined;
  });

  test("a server that does not answer is ARTIFACTS_UNAVAILABLE, which a step retries", async () => {
    const gone = await through({ down: () => null });
    const writing = gone.write({ artifact: { runId: await newRun(), kind: "rows" }, content: pieces("x") });
    await expect(writing).rejects.toMatchObject({ code: "ARTIFACTS_UNAVAILABLE", family: "retry" });
  });

  test("a large upload that fails closes its source", async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (let part = 0; part < 100; part++) yield new Uint8Array(MIB);
      } finally {
        isClosed = true;
      }
    }
    const gone = await through({ down: () => null });
    const writing = gone.write({ artifact: { runId: await newRun(), kind: "rows" }, content: source() });
    await expect(writing).rejects.toMatchObject({ code: "ARTIFACTS_UNAVAILABLE" });
    await until(() => isClosed);
  });
}

async function proxy(target: string, { up = same, down = same }: Changes): Promise<string> {
  const [host, port] = target.split(":");
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    const hangUp = (): void => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) sockets.add(socket.on("error", hangUp).on("close", hangUp));
    client.on("data", (data: Buffer) => upstream.write(up(data)));
    upstream.on("data", (data: Buffer) => {
      const passed = down(data);
      if (passed === null) hangUp();
      else client.write(passed);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const same = (data: Buffer): Buffer => data;
