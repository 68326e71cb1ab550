#!/usr/bin/env node
/** Hands over to the Runledger of the project that it is called in: its workflows were made with that one. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

await import(pathToFileURL(join(ofProject() ?? join(import.meta.dirname, "../dist"), "cli/main.js")).href);

/** @returns {string | null} */
function ofProject() {
  try {
    return dirname(createRequire(join(process.cwd(), "_")).resolve("runledger"));
  } catch {
    return null;
  }
}
