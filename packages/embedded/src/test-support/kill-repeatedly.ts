import { expect } from "vitest";
import { until } from "@runledger/test-support/until";
import { startEmbeddedPostgres } from "../index.js";
import { Appender } from "./appender.js";
import { usedDataDir } from "./directories.js";
import { Holder } from "./holder.js";
import { nothingIsLeft } from "./processes.js";

/** Kills the owner again and again while another process is attached. Every acknowledged row must survive. */
export async function killOwners(kills: number): Promise<void> {
  const dataDir = await usedDataDir();
  let owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const appender = await Appender.start(url);

  for (let kill = 0; kill < kills; kill++) {
    const attached = new Holder({ dataDir });
    expect(await attached.started()).toMatchObject({ role: "attached", url });
    await appender.goesOn();
    await owner.kill();
    await until(async () => (await attached.role()) === "owner");
    await appender.goesOn();
    owner = attached;
  }

  await appender.stop();
  expect(await appender.lost()).toEqual([]);
  expect(appender.acknowledged.length).toBeGreaterThan(kills);
  await owner.kill();
  await nothingIsLeft(dataDir);
}

/** Kills the only process again and again. Its server must end, and the next start must find every acknowledged row. */
export async function killOnlyProcesses(kills: number): Promise<void> {
  const dataDir = await usedDataDir();
  const first = new Holder({ dataDir });
  const { url } = await first.started();
  const appender = await Appender.start(url);
  await first.kill();

  for (let kill = 1; kill < kills; kill++) {
    const next = new Holder({ dataDir });
    expect((await next.started()).url).toBe(url);
    await appender.goesOn();
    await next.kill();
    await nothingIsLeft(dataDir);
  }

  await appender.stop();
  await using last = await startEmbeddedPostgres({ dataDir });
  expect(last.url).toBe(url);
  expect(await appender.lost()).toEqual([]);
  expect(appender.acknowledged.length).toBeGreaterThan(1);
}
