/** Whether a text is a pattern: `*` stands for any run of characters in it. */
export const isPattern = (text: string): boolean => text.includes("*");

/**
 * Makes the test whether a text fits a pattern, in which `*` stands for any run of characters. It looks
 * at each part once, where an expression with many `*` could try every way to divide a text.
 */
export const patternTest = (pattern: string): ((text: string) => boolean) => {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
};
