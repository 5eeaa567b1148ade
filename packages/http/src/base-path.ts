/**
 * Segments of unreserved characters (RFC 3986). None is `.` or `..`, and no slash stands at the
 * end.
 */
const wellFormed = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/;

/**
 * Checks a base path: `/postern`, `/tools/postern`; empty for none.
 * @throws TypeError that says what a base path looks like.
 */
export const basePathOf = (text: string): string => {
  if (text === "" || wellFormed.test(text)) return text;
  throw new TypeError(`basePath: "${text}" is not a path like /postern (a slash in front, none at the end)`);
};

/**
 * The part of a path below the root: `/` for the root itself, `undefined` for a path outside of it.
 */
export const pathBelow = (root: string, path: string): string | undefined => {
  if (root === "") return path;
  if (!path.startsWith(root)) return undefined;
  if (path.length === root.length) return "/";
  return path[root.length] === "/" ? path.slice(root.length) : undefined;
};
