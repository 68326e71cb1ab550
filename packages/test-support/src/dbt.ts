/** dbt for tests, and the dbt project of the example. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { provideDbt } from "../../../scripts/lib/provide-dbt.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { requireTool, type Requirement } from "./requirements.js";

export const requireDbt: readonly Requirement[] = [requireTool("python3")];

/** Returns the path of the program `dbt`, with its adapters for DuckDB and PostgreSQL. */
export const dbtProgram = (): Promise<string> => provideDbt();

/** Copies the dbt project of the example into a folder that the test may change. */
export function shopProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(inRepository("examples/dbt-shop/shop"), folder, { recursive: true });
  return folder;
}
