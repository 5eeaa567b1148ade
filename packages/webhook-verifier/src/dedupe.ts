import { misconfigured } from "./errors.ts";
import { noRepeat } from "./repeat-rules.ts";
import type { Location, RepeatRule, Scheme } from "./scheme.ts";

/** What you decide about repeats in place of a scheme. */
export type Dedupe =
  | {
      readonly by: "id";
      /** The place of the id, such as `header:x-event-id`. Default: where the scheme has it. */
      readonly id?: Location;
    }
  | {
      readonly by: "body";
      /** Default: that of the scheme, or a day if it has none. */
      readonly windowSeconds?: number | undefined;
      /** What the sender changes when it tries again. Default: what the scheme says. */
      readonly without?: readonly string[];
    }
  | { readonly by: "none" };

const daySeconds = 86_400;

const refused = (says: string): never => misconfigured("setting_invalid", `dedupe: ${says}.`);

const byId = ({ name, id, covered, repeats = [] }: Scheme, place: Location | undefined): readonly RepeatRule[] => {
  if (place === undefined) {
    const own = repeats.filter(({ by }) => by === "signed-id" || by === "unsigned-id");
    // You chose ids: what has none is no repeat.
    if (own.length > 0) return [...own, noRepeat];
    if (id === undefined && !covered.includes("id"))
      return refused(`${name} has no id; say where it is: { by: "id", id: "header:x-event-id" }`);
  } else if (![place].flat().every((one) => /^(header|body):./.test(one)))
    return refused('an id is at "header:<name>" or "body:<path>"');
  const at = place === undefined ? {} : { id: place };
  return [{ by: "signed-id", ...at }, { by: "unsigned-id", ...at }, noRepeat];
};

/**
 * The rules that a setting makes. @throws WebhookConfigError `setting_invalid` for a setting that
 * cannot work.
 */
export const rulesOf = (scheme: Scheme, setting: Dedupe | Dedupe["by"]): readonly RepeatRule[] => {
  const dedupe: Dedupe = typeof setting === "string" ? { by: setting } : setting;
  if (dedupe.by === "none") return [{ by: "none" }];
  if (dedupe.by === "id") return byId(scheme, dedupe.id);
  if (dedupe.by !== "body") return refused('use "id", "body" or "none"');
  const own = scheme.repeats?.find((rule) => rule.by === "body");
  const windowSeconds = dedupe.windowSeconds ?? own?.windowSeconds ?? daySeconds;
  if (!(Number.isSafeInteger(windowSeconds) && windowSeconds > 0))
    return refused("windowSeconds is no whole number above 0");
  return [{ ...own, by: "body", windowSeconds, ...(dedupe.without && { without: dedupe.without }) }];
};
