import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import type { Location } from "./location.js";

export function folderLocation(): Location {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return { url: () => pathToFileURL(folder).href };
}
