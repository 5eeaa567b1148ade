const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** An object or array that is not closed yet. */
interface Open {
  /** The index or the member name that the text has come to; `undefined` in front of a name. */
  step: string | number | undefined;
}

/**
 * The JSON pointer (RFC 6901) of the value in which `end` lies, in a text that is JSON up to there.
 * A member whose name ends there counts as reached. It reads the text again, so that sound texts
 * pay nothing for their places.
 */
export const pointerAt = (text: string, end: number): string => {
  const open: Open[] = [];
  for (const [found] of text.slice(0, end).matchAll(token)) {
    const here = open.at(-1);
    if (found === "{") open.push({ step: undefined });
    else if (found === "[") open.push({ step: 0 });
    else if (found === "}" || found === "]") open.pop();
    else if (here === undefined || found === ":") continue;
    else if (found === ",") here.step = typeof here.step === "number" ? here.step + 1 : undefined;
    else if (here.step === undefined) here.step = String(JSON.parse(found));
  }
  return open
    .flatMap(({ step }) => (step === undefined ? [] : [`/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`]))
    .join("");
};
