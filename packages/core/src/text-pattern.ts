const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether a text is a pattern: `*` stands for any run of characters in it. */
export const isPattern = (text: string): boolean => text.includes("*");

/** Makes the test whether a text fits a pattern, in which `*` stands for any run of characters. */
export const patternTest = (pattern: string): ((text: string) => boolean) => {
  const expression = new RegExp(`^${pattern.split("*").map(escaped).join("[^]*")}$`);
  return (text) => expression.test(text);
};
