/** Copies the pages of error codes into the package `runledger`, where `runledger explain` reads them. */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "./lib/repository.mjs";

const [from, to] = [inRepository("docs/errors"), inRepository("packages/runledger/dist/errors")];
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const name of readdirSync(from)) if (name !== "README.md") cpSync(join(from, name), join(to, name));
