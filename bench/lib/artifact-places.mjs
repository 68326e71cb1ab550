/** A folder and a bucket of versitygw for a bench: our port of artifacts, and the file system or the SDK alone. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { newEvent } from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { connect } from "runledger";
import { cachedPath } from "../../scripts/lib/cache-folder.mjs";
import { folderAlone } from "./folder-alone.mjs";
import { freePort, listening } from "./ports.mjs";
import { alternate, median } from "./rounds.mjs";
import { bucketAlone } from "./sdk-alone.mjs";

const PROGRAM = /^versitygw-[\d.]+$/;
const NOT_THERE = "there is no versitygw: npm run test:all installs it";
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench-secret" };
const PIECE = Buffer.alloc(1024 * 1024, "0123456789abcdef");
/** One gigabyte, unless the machine is busy. */
const MEGABYTES = Number(process.env["RUNLEDGER_BENCH_MEGABYTES"] ?? 1024);

/**
 * @typedef {object} Alone the same work without Runledger
 * @property {(key: string, content: AsyncIterable<Uint8Array>) => Promise<void>} write
 * @property {(key: string) => Promise<AsyncIterable<Uint8Array>>} read
 * @property {(key: string) => Promise<void>} remove
 */

/**
 * @typedef {object} Place
 * @property {string} name
 * @property {string} url of the location, as users write it
 * @property {Alone} alone
 */

/**
 * @param {import("./suite.mjs").Bench} all
 * @param {"write" | "read"} what
 * @returns {Promise<import("./suite.mjs").Outcome>} the ratio of the place where it is lower
 */
export async function onPlaces(all, what) {
  const bench = { ...all, rounds: Math.min(all.rounds, 3) };
  const home = mkdtempSync(join(tmpdir(), "bench-artifacts-"));
  try {
    const folder = join(home, "folder");
    const inFolder = { name: "folder", url: pathToFileURL(folder).href, alone: folderAlone(join(home, "alone")) };
    const first = await compare(bench, inFolder, what);
    const second = await onVersitygw(join(home, "bucket"), (place) => compare(bench, place, what));
    if (second === null) return { ratio: 0, details: first.details, failed: NOT_THERE };
    return { ratio: Math.min(first.ratio, second.ratio), details: [...first.details, ...second.details] };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder @param {(place: Place) => Promise<import("./suite.mjs").Outcome>} measure
 * @returns {Promise<import("./suite.mjs").Outcome | null>}
 */
async function onVersitygw(folder, measure) {
  const cache = dirname(cachedPath("any"));
  const installed = existsSync(cache) ? readdirSync(cache).findLast((name) => PROGRAM.test(name)) : undefined;
  if (installed === undefined) return null;
  Object.assign(process.env, CREDENTIALS);
  mkdirSync(join(folder, "bench"), { recursive: true });
  const port = await freePort();
  const env = { ROOT_ACCESS_KEY: CREDENTIALS.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: CREDENTIALS.AWS_SECRET_ACCESS_KEY };
  const args = ["--port", `127.0.0.1:${port}`, "posix", folder];
  const server = spawn(join(cache, installed, "versitygw"), args, { env: { ...process.env, ...env }, stdio: "ignore" });
  const ended = new Promise((resolve) => server.once("close", resolve).once("error", resolve));
  try {
    await listening(port);
    const endpoint = `http://127.0.0.1:${port}`;
    const alone = bucketAlone(endpoint, "bench");
    return await measure({ name: "versitygw", url: `s3://bench/ours?endpoint=${endpoint}`, alone });
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/**
 * @param {import("./suite.mjs").Bench} bench @param {Place} place @param {"write" | "read"} what
 * @returns {Promise<import("./suite.mjs").Outcome>}
 */
async function compare(bench, { name, url, alone }, what) {
  const ledger = await connect("memory:", { artifacts: url });
  try {
    const port = artifactPort(() => ledger.store.artifacts);
    const runId = "bench";
    await ledger.store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
    const write = () => port.write({ artifact: { runId, kind: "rows" }, content: content() });
    if (what === "write") {
      const written = await alternate(bench, async (round) => ({
        ours: () => timed(write),
        other: async () => {
          const rate = await timed(() => alone.write(`alone-${round}`, content()));
          await alone.remove(`alone-${round}`);
          return rate;
        },
      }));
      return outcome(name, written);
    }
    const stored = await write();
    await alone.write("alone", content());
    const read = await alternate(bench, async () => ({
      ours: () => timed(() => drain(port.read(stored))),
      other: () => timed(async () => drain(await alone.read("alone"))),
    }));
    return outcome(name, read);
  } finally {
    await ledger.close();
  }
}

/** @param {string} name @param {Awaited<ReturnType<typeof alternate>>} result */
function outcome(name, { ratio, ours, other }) {
  const rate = (/** @type {{ value: number }[]} */ side) => median(side.map(({ value }) => value)).toFixed(0);
  return { ratio, details: [`${name}: ${ratio.toFixed(2)}, ours ${rate(ours)} MB/s, alone ${rate(other)} MB/s`] };
}

async function* content() {
  for (let sent = 0; sent < MEGABYTES; sent++) yield PIECE;
}

/** @param {AsyncIterable<Uint8Array>} pieces */
async function drain(pieces) {
  let bytes = 0;
  for await (const piece of pieces) bytes += piece.byteLength;
  if (bytes !== MEGABYTES * PIECE.byteLength) throw new Error(`${bytes} bytes were read.`);
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const start = performance.now();
  await work();
  return { value: MEGABYTES / ((performance.now() - start) / 1000) };
}
