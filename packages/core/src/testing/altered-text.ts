/**
 * Every text that differs from `text` in one URL-safe character, and some that are cut or longer.
 */
export const alterationsOf = (text: string): readonly string[] => [
  ...Array.from(text, (character, index) => {
    const other = character === "A" ? "B" : "A";
    return text.slice(0, index) + other + text.slice(index + 1);
  }),
  text.slice(0, -1),
  text.slice(1),
  `${text}A`,
  `${text}=`,
  `${text} `,
  ` ${text}`,
  `${text}\n`,
  text + text,
  text.toUpperCase(),
];
