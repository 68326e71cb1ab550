/** The reference of the command line, made from the program itself. */
import type { makeProgram } from "../../packages/runledger/src/cli/program.js";

type Command = Awaited<ReturnType<typeof makeProgram>>;
type Option = Command["options"][number];

const INTRODUCTION = `# The command line

Made from the program; \`runledger <command> --help\` says the same.

Every command takes the options of \`runledger\` itself. A command works on a store, or with \`--server\` through a server:
both answer the same. What runs steps, serves, or works on stored data itself (\`dev\`, \`init\`, \`worker\`, \`serve\`, \`store\`)
takes a store only. A key for a server is named with \`--key\`; a server on the same machine takes the token of its data
directory by itself.

| exit code | means                                               |
| --------- | --------------------------------------------------- |
| 0         | done                                                |
| 1         | the run failed, or what was verified differs        |
| 2         | what was typed, or a file it names, must be changed |
| 3         | it was understood and refused                       |
| 4         | the store or the server cannot be reached           |
| 70        | a fault of Runledger itself                         |
| 130       | stopped with Ctrl-C before it was through           |

Results go to standard output, errors and progress to standard error. On a terminal there are colours (not with
\`NO_COLOR\`) and tables fit its width; on a pipe nothing is coloured or cut. \`--json\` prints one value per line.

| variable           | is                                                   |
| ------------------ | ---------------------------------------------------- |
| \`RUNLEDGER_STORE\`  | the store, where \`--store\` does not say             |
| \`RUNLEDGER_SERVER\` | the server, where neither \`--server\` nor \`--store\` does |
| \`RUNLEDGER_KEY\`    | the key for it, where \`--key\` does not say          |
| \`RUNLEDGER_DEBUG\`  | \`1\` shows where a fault of Runledger comes from      |
| \`NO_COLOR\`         | anything: no colours                                 |
`;

export function cliDocument(program: Command): string {
  return [INTRODUCTION, section(program, []), ...program.commands.flatMap((command) => sections(command, []))].join(
    "\n",
  );
}

function sections(command: Command, path: readonly string[]): string[] {
  const own = [...path, command.name()];
  return [section(command, own), ...command.commands.flatMap((child) => sections(child, own))];
}

function section(command: Command, path: readonly string[]): string {
  const usage = path.length === 0 ? "<command> [options]" : command.usage();
  const said = command.description() === "" ? sentence(command.summary()) : command.description();
  const lines = [
    `## runledger${path.map((word) => ` ${word}`).join("")}`,
    `\`\`\`\n${["runledger", ...path, usage].join(" ")}\n\`\`\``,
    escaped(said),
    optionTable(command.options.filter(({ hidden }) => !hidden)),
  ];
  return lines.filter((line) => line !== "").join("\n\n");
}

function sentence(summary: string): string {
  return summary === "" ? "" : `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
}

function optionTable(options: readonly Option[]): string {
  if (options.length === 0) return "";
  const rows = options.map(({ flags, description, defaultValue, argChoices, mandatory }) => {
    const choices = argChoices === undefined ? "" : ` (${argChoices.join(", ")})`;
    const standard = defaultValue === undefined ? "" : ` Default: \`${String(defaultValue)}\`.`;
    return `| \`${cell(flags)}\` | ${escaped(cell(description))}${choices}${mandatory ? "; it must be given" : ""}${standard === "" ? "" : `.${standard}`} |`;
  });
  return ["| option | |", "| --- | --- |", ...rows].join("\n");
}

/** A name in angle brackets is no tag; lines that stand below each other stay so. */
function escaped(text: string): string {
  return text.replaceAll("<", String.raw`\<`).replaceAll(/\n( {2,}.*)/g, "\n\n    $1");
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
