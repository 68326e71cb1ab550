/**
 * One cluster for the whole run of vitest, of which every test file's server gets a copy: it has a server to itself, and to
 * copy takes a fraction of the time in which PostgreSQL makes one. Whoever needs it first makes it.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { inject } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";

/** Its port is not copied: every server chooses its own. */
const PARTS = ["pgdata", "password"];

export async function copyCluster(dataDir: string): Promise<void> {
  const template = join(inject("clusters"), "template");
  if (!existsSync(template)) await makeTemplate(template);
  await mkdir(dataDir);
  const parts = PARTS.map((part) => join(template, part));
  const { code, stderr } = await capture("cp", ["-a", ...parts, dataDir]); // with its owner, which Node cannot
  if (code !== 0) throw new Error(`the cluster could not be copied: ${stderr}`);
}

/** Under a name of its own until it is whole. Several test files may begin at once: the first one's is used. */
async function makeTemplate(template: string): Promise<void> {
  const draft = `${template}-${randomUUID()}`;
  const postgres = await startEmbeddedPostgres({ dataDir: draft });
  await postgres.stop();
  await rename(draft, template).catch(async (error: unknown) => {
    if (!existsSync(template)) throw error;
    await rm(draft, { recursive: true, force: true });
  });
}
