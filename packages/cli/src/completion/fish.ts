import { type Flag, isChoice, type Place, type Value } from "./place.ts";

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Whether an option or an argument takes something, and what. Fish offers files only if it is told to. */
const takes = (value: Value): readonly string[] => {
  if (value === "nothing") return [];
  if (value === "file") return ["-r -F"];
  return value === "text" ? ["-x"] : [`-x -a ${quoted(value.join(" "))}`];
};

const nameOf = (name: string): string => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`);

const flagPart = ({ names, description, value }: Flag): string =>
  [...names.map(nameOf), ...takes(value), `-d ${quoted(description)}`].join(" ");

const argumentParts = (argument: Value): readonly string[] => {
  if (argument === "file") return ["-F"];
  return isChoice(argument) ? [`-a ${quoted(argument.join(" "))}`] : [];
};

/** The script for fish from 3.0 on. */
export const fishScript = (places: readonly Place[]): string => {
  const [root, ...inner] = places.map(({ path }) => path);
  const lines = places.flatMap(({ path, commands, flags, argument }) =>
    [
      ...commands.map(({ name, description }) => `-a ${name} -d ${quoted(description)}`),
      ...argumentParts(argument),
      ...flags.map(flagPart),
    ].map((part) => `complete -c ${root} -n '__${root}_is_at ${path}' ${part}`),
  );
  return `# Completion of ${root} for fish. Made by: ${root} completion fish
function __${root}_is_at
    set -l place ${root}
    set -l given (commandline -opc)
    for word in $given[2..-1]
        switch "$place $word"
            case ${inner.map(quoted).join(" ")}
                set place "$place $word"
        end
    end
    test "$place" = "$argv"
end
complete -c ${root} -f
${lines.join("\n")}
`;
};
