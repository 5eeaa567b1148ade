/** How many levels deep a payload may be nested. No sender's events have a tenth of that. */
export const deepest = 100;

/**
 * Whether a payload has more than 100 levels of lists and objects. `JSON.parse` can read hundreds
 * of thousands. But nearly everything that walks through the result afterwards overflows the stack,
 * `JSON.stringify` first of all.
 */
export const isTooDeep = (payload: unknown, levels = deepest): boolean => {
  if (typeof payload !== "object" || payload === null) return false;
  if (levels === 0) return true;
  // Every event comes through here: lists of its members would take half a kilobyte for each.
  if (Array.isArray(payload)) {
    for (const member of payload) if (isTooDeep(member, levels - 1)) return true;
    return false;
  }
  for (const name in payload) if (isTooDeep((payload as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
};
