import { isObject } from "@postern/core/parts";

type Members = Readonly<Record<string, unknown>>;

/** RFC 7396 for objects: members of `patch` replace, null removes, objects merge. */
export const mergePatch = (target: Members, patch: Members): Members => {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(isObject(before) ? before : {}, value) : value);
  }
  // Not by assignment, which would take a member "__proto__" for something else.
  return Object.fromEntries(merged);
};
