/** Completion for shells, made from the program itself: every command, its options and their choices. */
import { Argument, type Command } from "commander";
import { bashScript, fishScript, zshScript } from "./completion-scripts.js";
import { print } from "./terminal.js";

export interface Completed {
  /** Words that lead to it: [] is the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .summary("print the completion of a shell")
    .description(
      "Prints a script that completes commands and options.\n" +
        '  bash   eval "$(runledger completion bash)"    in ~/.bashrc\n' +
        '  zsh    eval "$(runledger completion zsh)"     in ~/.zshrc, after compinit\n' +
        "  fish   runledger completion fish | source     in ~/.config/fish/config.fish",
    )
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS) => {
      const { makeProgram } = await import("./program.js"); // which loads this file: it is whole by now
      print(SCRIPTS[shell](completions(await makeProgram())));
    });
}

/** Every place in the tree of commands. */
function completions(command: Command, path: readonly string[] = []): readonly Completed[] {
  const own: Completed = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), summary: child.summary() })),
    options: optionsOf(command),
  };
  return [own, ...command.commands.flatMap((child) => completions(child, [...path, child.name()]))];
}

/** With those of the program, which every command takes. */
function optionsOf(command: Command): Completed["options"] {
  const root = command.parent === null ? command : rootOf(command);
  const known = root === command ? command.options : [...command.options, ...root.options];
  const said = known.map(({ long, short, description }) => ({ flag: long ?? short ?? "", summary: description }));
  return [...said, { flag: "--help", summary: "display help for command" }];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
