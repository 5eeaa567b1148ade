import { isChoice, type Place, valuesOf } from "./place.ts";

/** Names of commands and options, and words that options take. None of them needs more than these quotes. */
const quoted = (words: readonly string[]): string => `'${words.join(" ")}'`;

const pattern = (lines: readonly string[]): string => lines.map((line) => `'${line}'`).join(" | ");

const placeCase = ({ path, commands, flags, argument }: Place): string => {
  const inner = [...commands.map(({ name }) => name), ...(isChoice(argument) ? argument : [])];
  const names = flags.flatMap((flag) => flag.names);
  return `    '${path}') words=${quoted(inner)} flags=${quoted(names)} files=${argument === "file" ? "yes" : ""} ;;`;
};

/**
 * The script for bash from 3.2 on. Where a file is expected it needs bash 4; an older one completes
 * nothing there.
 */
export const bashScript = (places: readonly Place[]): string => {
  const [root, ...inner] = places.map(({ path }) => path);
  const values = valuesOf(places);
  const files = values.filter(({ value }) => value === "file").map(({ words }) => words);
  const texts = values.filter(({ value }) => value === "text").map(({ words }) => words);
  const choices = values.flatMap(({ words, value }) =>
    isChoice(value) ? [`    '${words}') COMPREPLY=($(compgen -W ${quoted(value)} -- "$word")); return ;;`] : [],
  );
  return `# Completion of ${root} for bash. Made by: ${root} completion bash
_${root}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place=${root} words= flags= files= i
  # Bash takes --state=dead for three words.
  if [[ $word == "=" ]]; then
    word=
  elif [[ $before == "=" ]]; then
    before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
    ${pattern(inner)})
      place="$place \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$place $before" in
${choices.join("\n")}
    ${pattern(files)})
      compopt -o default 2>/dev/null; return ;;
    ${pattern(texts)})
      return ;;
  esac
  case "$place" in
${places.map(placeCase).join("\n")}
  esac
  if [[ $word == -* ]]; then
    words=$flags
  elif [[ -n $files ]]; then
    compopt -o default 2>/dev/null
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _${root} ${root}
`;
};
