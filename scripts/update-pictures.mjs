/**
 * Runs the tests of the console with screenshots, and copies those for readers to docs/images. Look at them before they are
 * committed.
 */
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { inRepository } from "./lib/repository.mjs";
import { run } from "./lib/spawn.mjs";

const FROM = inRepository("reports/console/for-readers");
const TO = inRepository("docs/images");

const args = [inRepository("scripts/test.mjs"), "test", "tests/console"];
process.exitCode = await run(process.execPath, args, { env: { RUNLEDGER_PICTURES: "1" } });
mkdirSync(TO, { recursive: true });
for (const name of readdirSync(FROM)) copyFileSync(`${FROM}/${name}`, `${TO}/${name}`);
