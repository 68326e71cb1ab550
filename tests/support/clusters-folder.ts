/** A folder that all test files of a run share, for what is the same in each of them; gone with the run. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    readonly clusters: string;
  }
}

export default function shareClusters({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "runledger-clusters-"));
  chmodSync(folder, 0o711); // as root the server runs as another user, who must get through here
  provide("clusters", folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
