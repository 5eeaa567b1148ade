import { brand } from "../errors/brand.ts";
import { didYouMean } from "../errors/did-you-mean.ts";

/**
 * A declaration that cannot work. It reports all its faults at once. Each is one sentence that
 * names the place (`resource "task", field "title"`), what is wrong there, and what would be right.
 */
export class DeclarationError extends TypeError {
  override readonly name = "DeclarationError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}
brand(DeclarationError, "DeclarationError");

/** @throws DeclarationError if there are any faults. */
export const refuseFaults = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new DeclarationError(faults);
};

/** The faults for which a check refuses a declaration; none if it does not throw. */
export const faultsThrownBy = (check: () => unknown): readonly string[] => {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof DeclarationError) return thrown.faults;
    if (thrown instanceof TypeError) return [thrown.message];
    throw thrown;
  }
};

/** What an option of a declaration must be. */
export interface OptionRule {
  readonly is: (value: unknown) => boolean;
  /** What would be right. It completes the sentence "must be …": `a function`. */
  readonly says: string;
  /** True if a declaration cannot work without it. */
  readonly required?: boolean;
  /** True if faults must not show the value. */
  readonly secret?: boolean;
  /** Of a list: what each of its members must fulfil. Faults show the first one that does not. */
  readonly each?: (member: unknown) => boolean;
}

/** The options of one kind of declaration, by name. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** The same option, as a required one. */
export const required = (rule: OptionRule): OptionRule => ({ ...rule, required: true });

/** A whole number between two bounds, both included. */
export const wholeNumber = (least: number, most = Number.POSITIVE_INFINITY): OptionRule => ({
  is: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  says:
    most === Number.POSITIVE_INFINITY ? `a whole number, ${least} or more` : `a whole number from ${least} to ${most}`,
});

/** A list of texts. `says` names its members: `origins such as https://example.com`. */
export const textsOf = (each: (text: string) => boolean, says: string, most = Number.POSITIVE_INFINITY): OptionRule => {
  const fits = (member: unknown): boolean => typeof member === "string" && each(member);
  return {
    is: (value) => Array.isArray(value) && value.length <= most && value.every(fits),
    says: `a list of ${says}`,
    each: fits,
  };
};

/** Common kinds of options. */
export const option = {
  anything: { is: () => true, says: "anything" },
  aFunction: { is: (value) => typeof value === "function", says: "a function" },
  aText: { is: (value) => typeof value === "string" && value !== "", says: "a text that is not empty" },
  trueOrFalse: { is: (value) => typeof value === "boolean", says: "true or false" },
  anObject: {
    is: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    says: "an object",
  },
  aList: { is: Array.isArray, says: "a list" },
  aDay: {
    is: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
    says: "a day like 2027-01-31",
  },
} as const satisfies OptionRules;

/** One of a closed set of words. */
export const oneOf = (...words: readonly string[]): OptionRule => ({
  is: (value) => words.some((word) => word === value),
  says: words.map((word) => `"${word}"`).join(" or "),
});

/** A value as a fault shows it: short, and never the content of an object, which may be secret. */
const shown = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null
    ? "an object"
    : typeof value === "function"
      ? "a function"
      : String(value);
};

/** The end of a fault: what was given in place of what would be right. */
const inPlaceOf = ({ secret, each }: OptionRule, value: unknown): string => {
  if (secret === true) return "";
  if (each === undefined || !Array.isArray(value)) return `, not ${shown(value)}`;
  const misfit = value.find((member) => !each(member));
  return misfit === undefined ? `, not a list of ${value.length}` : `; ${shown(misfit)} is none`;
};

/** An option that is `undefined` counts as absent. */
const givenOptions = (given: unknown): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(Object(given)).filter(([, value]) => value !== undefined));

/** The options that do not exist, each with the nearest right name. */
export const unknownOptions = (place: string, given: unknown, rules: OptionRules): readonly string[] => {
  const names = Object.keys(rules);
  return [...givenOptions(given).keys()]
    .filter((name) => !Object.hasOwn(rules, name))
    .map(
      (name) =>
        `${place}: there is no option "${name}"${didYouMean([name], names) || `; there are ${names.join(", ")}`}`,
    );
};

/**
 * The options that are missing or have the wrong type. Nothing else can be checked before these are
 * right. If no options are given at all, every required one is missing.
 */
export const wrongOptions = (place: string, given: unknown, rules: OptionRules): readonly string[] => {
  const missesAll = given === undefined && Object.values(rules).some((rule) => rule.required === true);
  if (!missesAll && !option.anObject.is(given)) return [`${place} must be an object, not ${shown(given)}`];
  const options = givenOptions(given);
  return Object.entries(rules).flatMap(([name, rule]) => {
    const value = options.get(name);
    if (value === undefined)
      return rule.required === true ? [`${place}: "${name}" is missing; it must be ${rule.says}`] : [];
    return rule.is(value) ? [] : [`${place}: "${name}" must be ${rule.says}${inPlaceOf(rule, value)}`];
  });
};

/** Everything that is wrong with a declaration's options. */
export const optionFaults = (place: string, given: unknown, rules: OptionRules): readonly string[] =>
  option.anObject.is(given)
    ? [...unknownOptions(place, given, rules), ...wrongOptions(place, given, rules)]
    : wrongOptions(place, given, rules);
