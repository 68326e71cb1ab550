/** Checks whether the command line accepts an argument list from a document or a file in deploy/. */
import { makeProgram } from "../../src/cli/program.js";

type Command = Awaited<ReturnType<typeof makeProgram>>;

const whole = await makeProgram();

/** Returns `null` if the list is accepted, else the reason for the refusal. Runs nothing. */
export function refusedBy(argv: readonly string[], program: Command = whole): string | null {
  let command = program;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word.startsWith("--")) {
      const [name, given] = word.split("=", 2);
      const option = optionsOf(command).find(({ long }) => long === name);
      if (option === undefined && name !== "--help" && name !== "--version") return `${command.name()} has no ${name}`;
      if (option?.required === true && given === undefined) at++;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next !== undefined) command = next;
    else if (command.commands.length > 0) return `${command.name()} has no command ${word}`;
  }
  return command === program && !argv.some((word) => word.startsWith("--")) ? "it names no command" : null;
}

function optionsOf(command: Command): Command["options"] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))];
}
