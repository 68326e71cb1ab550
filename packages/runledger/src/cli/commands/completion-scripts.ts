/** Completion scripts. They look up candidates by the preceding words, without options. */
import type { CompletionEntry } from "./completion-command.js";

const words = (entry: CompletionEntry): string =>
  [...entry.commands.map(({ name }) => name), ...entry.options.map(({ flag }) => flag)].join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function bashScript(entries: readonly CompletionEntry[]): string {
  const cases = entries.map((entry) => `    ${quoted(entry.path.join(" "))}) words=${quoted(words(entry))} ;;`);
  return `# runledger completion for bash.
_runledger() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
${knownPaths(entries)
  .map((path) => `      ${quoted(` ${path}`)} | ${quoted(path)}) path=${quoted(path)} ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _runledger runledger`;
}

function knownPaths(entries: readonly CompletionEntry[]): string[] {
  return entries.map(({ path }) => path.join(" ")).filter((path) => path !== "");
}

export function zshScript(entries: readonly CompletionEntry[]): string {
  const cases = entries.map(({ path, commands, options }) => {
    const items = [
      ...commands.map(({ name, summary }) => [name, summary]),
      ...options.map(({ flag, summary }) => [flag, summary]),
    ];
    const described = items.map(([name = "", summary = ""]) =>
      quoted(`${name.replaceAll(":", String.raw`\:`)}:${summary}`),
    );
    return `    ${quoted(path.join(" "))}) items=(${described.join(" ")}) ;;`;
  });
  return `#compdef runledger
# runledger completion for zsh.
_runledger() {
  local place="" i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
${knownPaths(entries)
  .map((path) => `      ${quoted(` ${path}`)} | ${quoted(path)}) place=${quoted(path)} ;;`)
  .join("\n")}
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
  _describe runledger items
  _files
}
compdef _runledger runledger`;
}

export function fishScript(entries: readonly CompletionEntry[]): string {
  const lines = entries.flatMap(({ path, commands, options }) => {
    const where = `-n ${quoted(`__runledger_at ${path.join(" ")}`.trim())}`;
    const named = commands.map(
      ({ name, summary }) => `complete -c runledger -f ${where} -a ${name} -d ${fishText(summary)}`,
    );
    const flagged = options
      .filter(({ flag }) => flag.startsWith("--"))
      .map(({ flag, summary }) => `complete -c runledger ${where} -l ${flag.slice(2)} -d ${fishText(summary)}`);
    return [...named, ...flagged];
  });
  const paths = knownPaths(entries).map(quoted).join(" ");
  return `# runledger completion for fish.
function __runledger_at
  set -l place
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $place $word) ${paths}
      set place $place $word
    end
  end
  test "$place" = "$argv"
end
${lines.join("\n")}`;
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
