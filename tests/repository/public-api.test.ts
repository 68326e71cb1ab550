// @module-tag N-30
/** Checks the public declarations of each package. Update them with `npx vitest run tests/repository/public-api.test.ts -u`. */
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { OpenPackages, packagesWithApi } from "./public-api/open-packages.js";
import { printApi } from "./public-api/print-api.js";
import { unexported } from "./public-api/unexported.js";

const HOW_TO_UPDATE =
  "The public declarations changed. If you meant that, run npm run build and npx vitest run tests/repository/public-api.test.ts -u, read the difference, and add a line to CHANGELOG.md";

let open: OpenPackages;
beforeAll(() => {
  open = new OpenPackages();
});
afterAll(() => open[Symbol.dispose]());

test.each(packagesWithApi)("the public declarations of $name are those that are checked in", async (pkg) => {
  const file = inRepository(`tests/repository/public-api/${pkg.folder}.d.ts.snap`);
  await expect(printApi(open, pkg), HOW_TO_UPDATE).toMatchFileSnapshot(file);
});

test.each(packagesWithApi)("$name exports every type that its public signatures mention", (pkg) => {
  expect(unexported(open, pkg)).toEqual([]);
});

test.each(packagesWithApi)("files of $name that it does not export cannot be imported", ({ name, folder }) => {
  const require = createRequire(inRepository(`packages/${folder}/package.json`));
  for (const file of ["dist/index.js", "src/index.ts", "package.json"])
    expect(() => require.resolve(`${name}/${file}`)).toThrow(/is not defined by "exports"|Cannot find module/);
});
