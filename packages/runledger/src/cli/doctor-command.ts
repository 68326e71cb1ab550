import type { Command } from "commander";
import * as check from "./doctor-checks.js";
import type { Finding } from "./doctor-checks.js";
import { clientOf } from "./desk/open-desk.js";
import { checkServer } from "./doctor-server.js";
import { exitCodes } from "./exit-codes.js";
import { projectIfAny, serverUrl, storeUrl, type GlobalOptions } from "./session.js";
import { paint, print, printJson, type Style } from "./terminal.js";

const MARKS: Readonly<Record<Finding["state"], readonly [Style, string]>> = {
  good: ["green", "✔"],
  note: ["yellow", "!"],
  bad: ["red", "✖"],
};

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .summary("look whether everything that Runledger needs is as it should be")
    .description("Checks Node, the project, the store, its clock, permissions, disk and port, and says what to do.")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const server = serverUrl(options);
      const findings = server === null ? await examine(options) : await examineServer(server, options);
      for (const finding of findings) (options.json === true ? printJson : show)(finding);
      if (findings.some(({ state }) => state === "bad")) process.exitCode = exitCodes.refused;
    });
}

async function examine(options: GlobalOptions): Promise<Finding[]> {
  const url = storeUrl(options, (await projectIfAny(options)) ?? {});
  return [
    check.checkNode(),
    check.checkVersion(),
    await check.checkProject(options),
    ...(await check.checkFolder(url)),
    ...(await check.checkStore(url)),
    await check.checkPort(),
  ];
}

async function examineServer(url: string, options: GlobalOptions): Promise<Finding[]> {
  return [check.checkNode(), check.checkVersion(), ...(await checkServer(url, await clientOf(url, options)))];
}

function show({ name, state, found, fix }: Finding): void {
  const [style, mark] = MARKS[state];
  print(`${paint(style, mark)} ${name.padEnd(12)} ${found}`);
  if (fix !== undefined) print(`${" ".repeat(15)}${paint("dim", fix)}`);
}
