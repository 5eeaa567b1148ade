/** The levels of the deepest payload that is handed on. No sender's events have a tenth of them. */
const deepest = 100;

/**
 * Whether a payload has more than 100 levels of lists and objects. `JSON.parse` takes hundreds of thousands, but nearly everything that walks through the result
 * afterwards, `JSON.stringify` first of all, ends in an overflow of the stack.
 */
export const isTooDeep = (payload: unknown, levels = deepest): boolean => {
  if (typeof payload !== "object" || payload === null) return false;
  return levels === 0 || Object.values(payload).some((member) => isTooDeep(member, levels - 1));
};
