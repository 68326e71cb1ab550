// @module-tag D-01
/** Each cloud has its own package, and the SDK of the vendor is an optional peer of it. */
import { capture } from "../../scripts/lib/spawn.mjs";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { expect, test } from "vitest";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const clouds = [
  ["s3://runs/a", "artifacts-s3", ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"]],
  ["gs://runs/a", "artifacts-gcs", ["@google-cloud/storage"]],
  ["azure://account/runs/a", "artifacts-azure", ["@azure/storage-blob"]],
] as const;

/** A module that makes one package unknown to `import`. */
function without(name: string): string {
  const hook = `export const resolve = async (wanted, context, next) => {
    if (wanted !== ${JSON.stringify(name)}) return next(wanted, context);
    throw Object.assign(new Error("Cannot find package '" + wanted + "'"), { code: "ERR_MODULE_NOT_FOUND" });
  };`;
  const url = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  return url(`import { register } from "node:module"; register(${JSON.stringify(url(hook))});`);
}

const OPEN = `
  const { openStorage } = await import("@runledger/runtime/artifacts/open-storage");
  const error = await openStorage(process.argv[1]).then(() => null, (thrown) => thrown);
  console.log(JSON.stringify({ code: error?.code, message: error?.message }));
`;

test.each(clouds)("%s is opened by %s, whose SDK is an optional peer", async (location, name, sdk) => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = readJson(
    inRepository(`packages/${name}/package.json`),
  ) as Manifest;
  expect(Object.keys(dependencies)).toEqual(["@runledger/contracts"]);
  expect(Object.keys(peerDependencies)).toEqual(sdk);
  for (const peer of sdk) expect(peerDependenciesMeta[peer]).toEqual({ optional: true });
  for (const missing of [`@runledger/${name}`, sdk[0]]) {
    const args = ["--import", without(missing), "--input-type=module", "-e", OPEN, location];
    const { code, stdout, stderr } = await capture(process.execPath, args, { cwd: inRepository("tests") });
    expect(code, stderr).toBe(0);
    const error = JSON.parse(stdout) as { readonly code: string; readonly message: string };
    expect(error.code).toBe("ARTIFACTS_NOT_INSTALLED");
    expect(error.message).toContain("npm install");
    expect(error.message).toContain(missing);
  }
});
