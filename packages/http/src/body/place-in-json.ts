/** An object or array that is not closed yet. */
interface Open {
  /** The index or the member name that the text has come to; `undefined` in front of a name. */
  step: string | number | undefined;
}

/**
 * The JSON pointer (RFC 6901) of the value in which `end` lies, in a text that is JSON up to there.
 * A member whose name ends there counts as reached. It reads the text again, and only when there is
 * a fault, so that sound texts pay nothing.
 */
export const pointerAt = (text: string, end: number): string => {
  const open: Open[] = [];
  for (let at = 0; at < end; at += 1) {
    const found = text[at];
    const here = open.at(-1);
    if (found === '"') {
      const start = at;
      at = quoteAfter(text, start);
      // `end` lies in this string.
      if (at >= end) break;
      if (here !== undefined && here.step === undefined) here.step = String(JSON.parse(text.slice(start, at + 1)));
    } else if (found === "{") open.push({ step: undefined });
    else if (found === "[") open.push({ step: 0 });
    else if (found === "}" || found === "]") open.pop();
    else if (found === "," && here !== undefined) {
      here.step = typeof here.step === "number" ? here.step + 1 : undefined;
    }
  }
  return open
    .flatMap(({ step }) => (step === undefined ? [] : [`/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`]))
    .join("");
};

/**
 * The place of the quote that closes the string that begins at `start`; the end of the text if none
 * does.
 */
const quoteAfter = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
};
