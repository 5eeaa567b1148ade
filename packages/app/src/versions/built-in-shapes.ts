import type { VersionChange } from "@postern/rest";

/**
 * What each later shape of the built-in resources changed, from shape 2 on, oldest first. An entry
 * stays for good: versions of applications rely on it. The first shape is that of v2 of the bare
 * server.
 */
export const builtInShapes: readonly (readonly VersionChange[])[] = [];

/**
 * What this shape of the built-in resources changed against the one before, for the next version of
 * an application: `{ id: "v2", released: "2027-05-01", changes: [...builtInChanges(2)] }`. Until a
 * version has them, the application answers in the older shape.
 * @throws TypeError for a shape that does not exist, and for the first, which changed nothing.
 */
export const builtInChanges = (shape: number): readonly VersionChange[] => {
  const changes = builtInShapes[shape - 2];
  if (changes !== undefined) return changes;
  const newest = builtInShapes.length + 1;
  throw new TypeError(`builtInChanges: there is no shape ${shape} with changes; the newest shape is ${newest}`);
};
