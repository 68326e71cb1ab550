/** The scripts themselves. What stands in a place is looked up by the words before it, options left out. */
import type { Completed } from "./completion-command.js";

const words = (place: Completed): string =>
  [...place.commands.map(({ name }) => name), ...place.options.map(({ flag }) => flag)].join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function bashScript(places: readonly Completed[]): string {
  const cases = places.map((place) => `    ${quoted(place.path.join(" "))}) words=${quoted(words(place))} ;;`);
  return `# Completion of runledger for bash.
_runledger() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
${knownPaths(places)
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

function knownPaths(places: readonly Completed[]): string[] {
  return places.map(({ path }) => path.join(" ")).filter((path) => path !== "");
}

export function zshScript(places: readonly Completed[]): string {
  const cases = places.map(({ path, commands, options }) => {
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
# Completion of runledger for zsh.
_runledger() {
  local place="" i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
${knownPaths(places)
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

export function fishScript(places: readonly Completed[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const where = `-n ${quoted(`__runledger_at ${path.join(" ")}`.trim())}`;
    const named = commands.map(
      ({ name, summary }) => `complete -c runledger -f ${where} -a ${name} -d ${fishText(summary)}`,
    );
    const flagged = options
      .filter(({ flag }) => flag.startsWith("--"))
      .map(({ flag, summary }) => `complete -c runledger ${where} -l ${flag.slice(2)} -d ${fishText(summary)}`);
    return [...named, ...flagged];
  });
  const paths = knownPaths(places).map(quoted).join(" ");
  return `# Completion of runledger for fish.
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
