/** What `doctor` looks at. Each check says what it found and, where that is not good, what to do. */
import { access, constants, statfs } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { packageVersion } from "../config/package-version.js";
import { embeddedFolder, withoutPassword } from "../config/store-url.js";
import { DEFAULT_PORT } from "../server/default-port.js";
import { count } from "./format.js";
import { openLedger } from "./open-ledger.js";
import { errorLines } from "./report-error.js";
import { project, type GlobalOptions } from "./session.js";

export interface Finding {
  readonly name: string;
  /** `bad`: it will not work. `note`: worth knowing. */
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  /** What to do about it. */
  readonly fix?: string;
}

const GIGABYTE = 1024 ** 3;
/** A clock that is further from the store's than this makes logs hard to read; nothing else depends on it. */
const MOST_SKEW_MS = 2000;

export function checkNode(): Finding {
  return { name: "Node", state: "good", found: `${process.versions.node} on ${process.platform} ${process.arch}` };
}

export function checkVersion(): Finding {
  return { name: "Runledger", state: "good", found: packageVersion() };
}

export async function checkProject(options: GlobalOptions): Promise<Finding> {
  const name = "Project";
  try {
    const { configFile, workflows } = await project(options);
    return { name, state: "good", found: `${configFile}, ${count(workflows.length, "workflow")}` };
  } catch (error) {
    const fix = "runledger init makes a project; commands on a store work without one";
    return { name, state: "note", found: errorLines(error).join(" "), fix };
  }
}

export async function checkFolder(url: string): Promise<Finding[]> {
  const folder = resolve(embeddedFolder(url) ?? ".");
  const there = existsSync(folder) ? folder : dirname(folder);
  return [await checkPermissions(there), await checkDisk(there)];
}

async function checkPermissions(folder: string): Promise<Finding> {
  const [name, fix] = ["Permissions", `give this user the right to write there, or name another store with --store`];
  return access(folder, constants.R_OK | constants.W_OK).then(
    () => ({ name, state: "good", found: `${folder} can be written to` }),
    () => ({ name, state: "bad", found: `${folder} cannot be written to`, fix }),
  );
}

async function checkDisk(folder: string): Promise<Finding> {
  const [name, fix] = ["Disk", "make room: a full disk stops every append, and loses none that was acknowledged"];
  const stats = await statfs(folder).catch(() => null);
  if (stats === null) return { name, state: "note", found: `${folder} is not there`, fix: "name a folder that is" };
  const free = stats.bavail * stats.bsize;
  const found = `${(free / GIGABYTE).toFixed(1)} GB free at ${folder}`;
  return free > GIGABYTE ? { name, state: "good", found } : { name, state: "bad", found, fix };
}

export async function checkStore(url: string): Promise<Finding[]> {
  const [name, shown] = ["Store", withoutPassword(url)];
  const folder = embeddedFolder(url);
  if (folder !== null && !existsSync(resolve(folder)))
    return [{ name, state: "note", found: `${shown}: nothing is stored there yet`, fix: "runledger dev makes it" }];
  try {
    await using ledger = await openLedger(url, { patienceMs: 0 });
    const asked = Date.now();
    const { now } = await ledger.store.queue.heldRuns("doctor");
    const halfway = (asked + Date.now()) / 2;
    const unserved = await ledger.unserved();
    return [
      { name, state: "good", found: `${shown} answers in ${Date.now() - asked} ms` },
      clock(Date.parse(now) - halfway),
      ...unserved.map((plan): Finding => {
        const found = `no worker for ${plan.planId} ${plan.planVersion}, which ${count(plan.openRuns, "open run")} need`;
        return { name: "Workers", state: "note", found, fix: "start a worker that has this version" };
      }),
    ];
  } catch (error) {
    const fix = "check the address and that the server runs; docs/errors has a page for every code";
    return [{ name, state: "bad", found: errorLines(error).join(" "), fix }];
  }
}

function clock(skewMs: number): Finding {
  const found = `this machine's is ${Math.abs(Math.round(skewMs))} ms from the store's`;
  if (Math.abs(skewMs) < MOST_SKEW_MS) return { name: "Clock", state: "good", found };
  return { name: "Clock", state: "note", found, fix: "set it by NTP; runs go by the store's clock, logs by this one" };
}

export async function checkPort(port = DEFAULT_PORT): Promise<Finding> {
  const server = createServer();
  const free = await new Promise<boolean>((done) => {
    server.once("error", () => done(false)).listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
  if (free) return { name: "Port", state: "good", found: `${port} is free` };
  return { name: "Port", state: "note", found: `${port} is in use`, fix: "runledger dev runs already, or use --port" };
}
