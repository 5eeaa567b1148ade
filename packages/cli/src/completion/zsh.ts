import { isChoice, type Place, valuesOf } from "./place.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const pattern = (lines: readonly string[]): string => lines.map(quoted).join(" | ");

/** A word and what it is for, as `_describe` reads them. */
const described = (word: string, description: string): string => quoted(`${word}:${description}`);

const placeCase = ({ path, commands, flags, argument }: Place): string => {
  const inner = [
    ...commands.map(({ name, description }) => described(name, description)),
    ...(isChoice(argument) ? argument.map(quoted) : []),
  ];
  const names = flags.flatMap((flag) => flag.names.map((name) => described(name, flag.description)));
  const lines = [
    `      inner=(${inner.join(" ")})`,
    `      flags=(${names.join(" ")})`,
    ...(argument === "file" ? ["      files=yes"] : []),
  ];
  return `    ${quoted(path)})\n${lines.join("\n")} ;;`;
};

/** The script for zsh: read by `.zshrc`, or kept as `_postern` in a folder of `fpath`. */
export const zshScript = (places: readonly Place[]): string => {
  const [root, ...inner] = places.map(({ path }) => path);
  const values = valuesOf(places);
  const files = values.filter(({ value }) => value === "file").map(({ words }) => words);
  const texts = values.filter(({ value }) => value === "text").map(({ words }) => words);
  const choices = values.flatMap(({ words, value }) =>
    isChoice(value) ? [`    ${quoted(words)}) compadd -- ${value.map(quoted).join(" ")}; return ;;`] : [],
  );
  return `#compdef ${root}
# Completion of ${root} for zsh. Made by: ${root} completion zsh
_${root}() {
  local place=${root} before=\${words[CURRENT-1]} files= i
  local -a inner flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
    ${pattern(inner)})
      place="$place \${words[i]}" ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P '*='
  fi
  case "$place $before" in
${choices.join("\n")}
    ${pattern(files)})
      _files; return ;;
    ${pattern(texts)})
      _message 'a value'; return ;;
  esac
  case "$place" in
${places.map(placeCase).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option flags
  elif [[ -n $files ]]; then
    _files
  else
    _describe word inner
  fi
}
if [[ \${funcstack[1]} == _${root} ]]; then
  _${root} "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _${root} ${root}
fi
`;
};
