/** Takes the pictures that tests/console has made into docs/images. Look at them before they are committed. */
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { inRepository } from "./lib/repository.mjs";

const FROM = inRepository("reports/console/for-readers");
const TO = inRepository("docs/images");

mkdirSync(TO, { recursive: true });
for (const name of readdirSync(FROM)) copyFileSync(`${FROM}/${name}`, `${TO}/${name}`);
