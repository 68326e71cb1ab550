/** Generates the reference of the command line from the program. */
import type { makeProgram } from "../../src/cli/program.js";

type Command = Awaited<ReturnType<typeof makeProgram>>;
type Option = Command["options"][number];

const INTRODUCTION = `# The command line

Generated from the program; \`runledger <command> --help\` prints the same text.

Every command accepts the options of \`runledger\` itself. A command works on a store or, with \`--server\`, through a server, and prints the
same results. \`dev\`, \`init\`, \`worker\`, \`serve\` and \`store\` work only on a store. Pass the key for a server with \`--key\`. For a server on the
same machine the CLI uses the token of its data directory.

| exit code | meaning                                               |
| --------- | ----------------------------------------------------- |
| 0         | success                                               |
| 1         | the run failed, or verified data differs              |
| 2         | an argument, or a file that it names, must be changed |
| 3         | the command was valid and was refused                 |
| 4         | the store or the server cannot be reached             |
| 70        | an unexpected error in Runledger                      |
| 130       | interrupted with Ctrl-C                               |

Results go to standard output, errors and progress to standard error. On a terminal the output has colors (unless \`NO_COLOR\` is set) and
tables fit its width. On a pipe nothing is colored or truncated. \`--json\` prints one value per line.

| variable           | meaning                                                    |
| ------------------ | ---------------------------------------------------------- |
| \`RUNLEDGER_STORE\`  | the store, if \`--store\` is not given                       |
| \`RUNLEDGER_SERVER\` | the server, if neither \`--server\` nor \`--store\` is given   |
| \`RUNLEDGER_KEY\`    | the key for the server, if \`--key\` is not given            |
| \`RUNLEDGER_DEBUG\`  | \`1\` prints the stack trace of an unexpected error          |
| \`NO_COLOR\`         | any value turns colors off                                 |
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
    return `| \`${cell(flags)}\` | ${escaped(cell(description))}${choices}${mandatory ? "; required" : ""}${standard === "" ? "" : `.${standard}`} |`;
  });
  return ["| option | |", "| --- | --- |", ...rows].join("\n");
}

/** Escapes angle brackets, which Markdown would read as a tag, and keeps indented lines on their own lines. */
function escaped(text: string): string {
  return text.replaceAll("<", String.raw`\<`).replaceAll(/\n( {2,}.*)/g, "\n\n    $1");
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
