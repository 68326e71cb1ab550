import { packageVersion } from "../config/package-version.js";

/** Returns the engine with its version, as events record it (N5). A bundled program does not know its version. */
export function adapterVersion(engine: string): string {
  try {
    return `${engine}-v${packageVersion()}`;
  } catch {
    return engine;
  }
}
