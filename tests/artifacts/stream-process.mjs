/** A process that streams an object, so that a test can kill it or measure its memory. Uses the built packages. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { openStorage } from "@runledger/runtime/artifacts/open-storage";

const [mode = "", url = "", key = "", bytes = "0"] = process.argv.slice(2);
const MIB = 1024 * 1024;
const storage = await openStorage(url);

/** Writes parts and then waits to be killed. */
async function* endless() {
  for (let part = 0; part < 5; part++) yield new Uint8Array(8 * MIB);
  console.log("sent");
  await sleep(600_000);
}

/** Different pieces, at little cost. */
async function* generated() {
  for (let at = 0; at < Number(bytes); at += MIB) {
    const piece = Buffer.alloc(MIB, 7);
    piece.writeDoubleBE(at);
    yield piece;
  }
}

/** @param {AsyncIterable<Uint8Array>} content */
async function digest(content) {
  const hash = createHash("sha256");
  for await (const piece of content) hash.update(piece);
  return hash.digest("hex");
}

/** Prints how much the peak grew, and the digest. @param {() => Promise<string>} action */
async function measured(action) {
  const before = process.resourceUsage().maxRSS;
  const sha256 = await action();
  console.log(JSON.stringify({ grownKilobytes: process.resourceUsage().maxRSS - before, sha256 }));
}

if (mode === "endless") await storage.create({ key, content: endless() });
if (mode === "write")
  await measured(async () => {
    await storage.create({ key, content: generated() });
    return digest(generated());
  });
if (mode === "read")
  await measured(async () => {
    const content = await storage.read({ key });
    if (content === null) throw new Error(`${key} does not exist.`);
    return digest(content);
  });
storage.close();
