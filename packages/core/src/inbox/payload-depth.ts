/** How many levels deep a payload may be nested. No sender's events have a tenth of that. */
const deepest = 100;

/**
 * Whether a payload has more than 100 levels of lists and objects. `JSON.parse` can read hundreds
 * of thousands. But nearly everything that walks through the result afterwards overflows the stack,
 * `JSON.stringify` first of all.
 */
export const isTooDeep = (payload: unknown, levels = deepest): boolean => {
  if (typeof payload !== "object" || payload === null) return false;
  return levels === 0 || Object.values(payload).some((member) => isTooDeep(member, levels - 1));
};
