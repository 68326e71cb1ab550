/**
 * Checks the published packages with publint (manifest and files) and attw (types for every resolver). Two findings are
 * intended: our packages are ES modules only, which Node 20.19 and later also load through `require`,
 * and the resolver of Node 10 does not know `exports`.
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packAll } from "./lib/pack.mjs";

/** @typedef {import("@arethetypeswrong/core").Problem} Problem */

const folder = mkdtempSync(join(tmpdir(), "runledger-pack-"));
try {
  for (const { name, tarball } of await packAll(folder)) report(name, await findingsIn(readFileSync(tarball)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} name @param {readonly string[]} findings */
function report(name, findings) {
  console.log(`${name}: ${findings.length === 0 ? "fine" : `${findings.length} findings`}`);
  for (const finding of findings) console.error(`  ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}

/** @param {Buffer} tarball @returns {Promise<string[]>} */
async function findingsIn(tarball) {
  const bytes = new Uint8Array(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  const problems = analysis.types === false ? ["attw: no types"] : analysis.problems.filter(isOurs).map(describe);
  return [...messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`), ...problems];
}

/** @param {Problem} problem */
function isOurs(problem) {
  return problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10");
}

/** @param {Problem} problem */
function describe(problem) {
  return `attw: ${JSON.stringify(problem)}`;
}
