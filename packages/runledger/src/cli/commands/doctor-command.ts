import type { Command } from "commander";
import * as check from "./doctor-checks.js";
import type { Finding } from "./doctor-checks.js";
import { createClient } from "../backend/open-backend.js";
import { checkSecrets } from "./doctor-secrets.js";
import { checkServer } from "./doctor-server.js";
import { exitCodes } from "../exit-codes.js";
import { findProject, serverUrl, storeOptionsOf, storeUrl, type GlobalOptions } from "../global-options.js";
import { paint, print, printJson, type Style } from "../render/terminal.js";

const MARKS: Readonly<Record<Finding["state"], readonly [Style, string]>> = {
  good: ["green", "✔"],
  note: ["yellow", "!"],
  bad: ["red", "✖"],
};

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .summary("check the environment, the project and the store")
    .description("Checks Node, the project, the store, its clock, permissions, disk and port, and suggests fixes.")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const server = serverUrl(options);
      const findings = server === null ? await checkLocal(options) : await checkRemote(server, options);
      for (const finding of findings) (options.json === true ? printJson : show)(finding);
      if (findings.some(({ state }) => state === "bad")) process.exitCode = exitCodes.refused;
    });
}

async function checkLocal(options: GlobalOptions): Promise<Finding[]> {
  const project = await findProject(options).catch(() => null);
  const url = storeUrl(options, project ?? {});
  return [
    check.checkNode(),
    check.checkVersion(),
    await check.checkProject(options),
    ...(project === null ? [] : await checkSecrets(project)),
    ...(await check.checkFolder(url)),
    ...(await check.checkStore(url, storeOptionsOf(project))),
    await check.checkPort(),
  ];
}

async function checkRemote(url: string, options: GlobalOptions): Promise<Finding[]> {
  return [check.checkNode(), check.checkVersion(), ...(await checkServer(url, await createClient(url, options)))];
}

function show({ name, state, found, fix }: Finding): void {
  const [style, mark] = MARKS[state];
  print(`${paint(style, mark)} ${name.padEnd(12)} ${found}`);
  if (fix !== undefined) print(`${" ".repeat(15)}${paint("dim", fix)}`);
}
