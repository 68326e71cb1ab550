import { chmodSync } from "node:fs";
import { join } from "node:path";
import { cached } from "./cache-folder.mjs";
import { installPython } from "./python-environment.mjs";

const VERSION = "1.54.0";
const PACKAGES = [`openlineage-python==${VERSION}`, "cattrs==26.2.1"];

/**
 * Returns the path of a Python that has the client of OpenLineage. Installs it into a virtual environment in the cache folder, once.
 * @returns {Promise<string>}
 */
export async function provideOpenLineage() {
  const folder = await cached(`openlineage-${VERSION}`, async (draft) => {
    await installPython(draft, PACKAGES);
    chmodSync(draft, 0o755);
  });
  return join(folder, "bin", "python");
}
