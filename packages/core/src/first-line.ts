const longest = 200;

/** The first line of an error, cut so that a list stays a list. */
export const firstLineOf = (error: string): string => {
  const [line = ""] = error.split(/[\r\n]/, 1);
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
};
