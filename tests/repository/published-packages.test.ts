// @module-tag R-43
/** Checks what a user gets with each published package. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { filesBelow, inRepository, publishedPackages, readJson } from "../../scripts/lib/repository.mjs";

const published = publishedPackages();
const textOf = (path: string): string =>
  existsSync(inRepository(path)) ? readFileSync(inRepository(path), "utf8") : "";

test.each(published.map(({ folder, manifest }) => ({ folder, ...manifest })))(
  "$name has a license, a README and the place of its source",
  ({ folder, name, ...manifest }) => {
    expect(textOf(`packages/${folder}/LICENSE`)).toBe(textOf("LICENSE"));
    expect(textOf(`packages/${folder}/README.md`)).toMatch(new RegExp(`^# ${name}\n\n\\w`));
    expect(manifest).toMatchObject({
      license: "Apache-2.0",
      repository: { type: "git", directory: `packages/${folder}` },
    });
  },
);

test("compiled files name no source map, because the packages contain none", () => {
  const sources = published.flatMap(({ folder }) => filesBelow(`packages/${folder}/src`));
  const files = sources.flatMap((file) => {
    const compiled = file.replace("/src/", "/dist/").replace(/\.tsx?$/, "");
    return [`${compiled}.js`, `${compiled}.d.ts`].filter((path) => existsSync(inRepository(path)));
  });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => textOf(file).includes("sourceMappingURL"))).toEqual([]);
});

test("every dependency of a published package accepts Node 20, so that npm prints no EBADENGINE", () => {
  const { packages } = readJson(inRepository("package-lock.json")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly engines?: { node?: string } }>>;
  };
  const refusing = Object.entries(packages).filter(([, { engines }]) => !acceptsNode20(engines?.node ?? "*"));
  expect(refusing.map(([path]) => path)).toEqual([]);
  expect([">=22", ">= 22.1 <25", "^22 || >=24", "^20.19 || >=22", ">=18", "20 || >=22"].map(acceptsNode20)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});

/** Reads the first version of each alternative, which is its minimum in the ranges that packages use. */
function acceptsNode20(range: string): boolean {
  const accepts = (alternative: string): boolean => {
    const [, sign = "", major = "0"] = /([~^]|>=?|)\s*v?(\d+)/.exec(alternative) ?? [];
    return sign.startsWith(">") ? Number(major) <= 20 : Number(major) === 20 || Number(major) === 0;
  };
  return range.split("||").some(accepts);
}
