/** Generates shell completion scripts from the program: all commands and their options. */
import { Argument, type Command } from "commander";
import { bashScript, fishScript, zshScript } from "./completion-scripts.js";
import { print } from "../render/terminal.js";

export interface CompletionEntry {
  /** Names of the command and its parents; `[]` for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .summary("print a shell completion script")
    .description(
      "Prints a script that completes commands and options. Add it to your shell:\n" +
        '  bash   eval "$(runledger completion bash)"    in ~/.bashrc\n' +
        '  zsh    eval "$(runledger completion zsh)"     in ~/.zshrc, after compinit\n' +
        "  fish   runledger completion fish | source     in ~/.config/fish/config.fish",
    )
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS) => {
      const { makeProgram } = await import("../program.js"); // imported late, because it imports this file
      print(SCRIPTS[shell](completions(await makeProgram())));
    });
}

/** Returns an entry for the command and for every command below it. */
function completions(command: Command, path: readonly string[] = []): readonly CompletionEntry[] {
  const own: CompletionEntry = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), summary: child.summary() })),
    options: optionsOf(command),
  };
  return [own, ...command.commands.flatMap((child) => completions(child, [...path, child.name()]))];
}

/** Includes the global options, which every command accepts. */
function optionsOf(command: Command): CompletionEntry["options"] {
  const root = command.parent === null ? command : rootOf(command);
  const known = root === command ? command.options : [...command.options, ...root.options];
  const flags = known.map(({ long, short, description }) => ({ flag: long ?? short ?? "", summary: description }));
  return [...flags, { flag: "--help", summary: "display help for command" }];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
