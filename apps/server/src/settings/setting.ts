import type { OptionRule } from "@postern/core";
import { oneOf, option, optionFaults, wholeNumber } from "@postern/core/internal";
import { bytesIn } from "./bytes.ts";

/**
 * One setting: what its value must be, what it is called in the environment, and its default. Its
 * key in the table is its name in the configuration file and in `openPostern`, and its docstring is
 * its row in docs/configuration.md.
 */
export interface Setting<Value = unknown, Standard = unknown> extends OptionRule {
  /** The variable that sets it. Of a setting of senders, what follows `WEBHOOK_<NAME>_`. */
  readonly env?: string;
  /** What its value is if nothing sets it. */
  readonly default: Standard;
  /** What it is in `openPostern` if nothing sets it, where that differs. */
  readonly embedded?: Value;
  /** The value that a text of the environment means; one that `is` refuses if it means none. */
  readonly read: (text: string) => unknown;
  /** What such a text must be. It completes the sentence "must be …". */
  readonly written: string;
  /** Whether this value of a secret may be shown all the same. */
  readonly mayShow?: (value: unknown) => boolean;
  /** What may be shown of a value in the configuration file. Absent: each member by its own name. */
  readonly shown?: (value: unknown) => unknown;
  /** The settings that it consists of. */
  readonly members?: Table;
  /** What is wrong inside a value that `is` takes. `place` is its name. */
  readonly inside?: (place: string, value: unknown) => readonly string[];
  /** Only the compiler knows it. */
  readonly value?: Value;
}

/** Settings by name. */
export type Table = Readonly<Record<string, Setting>>;

type ValueOf<One> = One extends Setting<infer Value, unknown> ? Value : never;
type StandardOf<One> = One extends Setting<unknown, infer Standard> ? Standard : never;
type Needed<Of extends Table> = { [Name in keyof Of]: Of[Name] extends { required: true } ? Name : never }[keyof Of];

/** What a server reads of a table: each setting with its value or its default. */
export type Values<Of extends Table> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> | StandardOf<Of[Name]> };

type Optional<Of extends Table, Names extends keyof Of> = { readonly [Name in Names]?: ValueOf<Of[Name]> };
type Given<Of extends Table, Names extends keyof Of> = { readonly [Name in Names]: ValueOf<Of[Name]> };

/** What a person writes of a table. */
export type Written<Of extends Table> = Given<Of, Needed<Of>> & Optional<Of, Exclude<keyof Of, Needed<Of>>>;

/** What an entry says besides what its value must be. */
interface Facts<Value> extends Partial<Pick<Setting<Value>, "env" | "embedded" | "mayShow" | "shown">> {
  readonly default?: Value | undefined;
  readonly secret?: boolean;
}

type Standard<Value, Said> = Said extends { readonly default: unknown } ? Value : undefined;
type Made<Value, Said> = Setting<Value, Standard<Value, Said>>;
type Reading = Pick<Setting, "read" | "written">;

const whole = (value: unknown): unknown => value;

/** A setting whose value fulfils a rule. In the environment it is a text, unless `reading` says otherwise. */
export const ruled =
  <Value>(rule: OptionRule, reading: Partial<Reading> = {}) =>
  <const Said extends Facts<Value>>(facts: Said): Made<Value, Said> =>
    ({ read: whole, written: rule.says, shown: whole, default: undefined, ...rule, ...reading, ...facts }) as Made<
      Value,
      Said
    >;

/** A text that is not empty. */
export const text = ruled<string>(option.aText);

/** A text of one form. */
export const matching = (pattern: RegExp, says: string) =>
  ruled<string>({ is: (value) => typeof value === "string" && pattern.test(value), says });

const digits = (written: string): unknown => (/^\d{1,12}$/.test(written) ? Number(written) : undefined);

/** A whole number, as a rule says. */
export const numbered = (rule: OptionRule) => ruled<number>(rule, { read: digits });

/** A whole number between two bounds, both included. */
export const count = (least: number, most?: number) => numbered(wholeNumber(least, most));

/** A time in whole milliseconds. */
export const duration = (least: number, most: number) =>
  numbered({ ...wholeNumber(least, most), says: `a whole number of milliseconds from ${least} to ${most}` });

/** A number of whole days. */
export const days = (least: number, most: number) =>
  numbered({ ...wholeNumber(least, most), says: `a whole number of days from ${least} to ${most}` });

/** One of these words. */
export const choice = <const Words extends readonly string[]>(...words: Words) =>
  ruled<Words[number]>(oneOf(...words), { written: `one of ${words.join(", ")}` });

/** True or false. In the environment `1` or `0`. */
export const flag = ruled<boolean>(option.trueOrFalse, {
  read: (written) => ({ 1: true, 0: false })[written],
  written: "1 or 0",
});

const parted = (written: string): readonly string[] => written.split(",").map((part) => part.trim());

/** How the environment writes a list. */
export const separated = ({ says }: OptionRule): Reading => ({ read: parted, written: `${says}, separated by commas` });

/** A list, as a rule says. */
export const listed = <Member = string>(rule: OptionRule) => ruled<readonly Member[]>(rule, separated(rule));

const presence = (): string => "set";

const nameOf = (declared: unknown): string => {
  const { name, id, provider = "*", type = "*" }: Readonly<Record<string, unknown>> = Object(declared);
  return String(name ?? id ?? `${provider} ${type}`);
};

/** The names of declarations. Nothing else of them is shown, because they may contain keys. */
const names = (declared: unknown): readonly string[] =>
  Array.isArray(declared) ? declared.map(nameOf) : Object.keys(Object(declared));

/** A function, or an object whose content nobody may see. */
export const code = <Value>(rule: OptionRule) => ruled<Value>(rule)({ shown: presence });

/** Declarations in code, of which only the names are shown. */
export const declarations = <Member>() => ruled<readonly Member[]>(option.aList)({ shown: names });

/** Declarations in code by their names. */
export const declaredByName = <Value>() => ruled<Value>(option.anObject)({ shown: names });

/** What is wrong in what a person wrote of a table. `place` is the table's name. */
export const faultsIn = (place: string, given: unknown, table: Table, within = place): readonly string[] => [
  ...optionFaults(place, given, table),
  ...Object.entries(table).flatMap(([name, { is, inside }]) => {
    const value: unknown = Object(given)[name];
    const path = within === "" ? name : `${within}.${name}`;
    return inside === undefined || value === undefined || !is(value) ? [] : inside(path, value);
  }),
];

const inside = (members: Table) => (place: string, value: unknown) => faultsIn(place, value, members);

/** A setting that consists of others. */
export interface Group<Members extends Table, Usual> extends Setting<Written<Members>, Usual> {
  readonly members: Members;
}

/** A setting that consists of others. In the environment each of them is a variable. */
export const group = <const Members extends Table, const Said extends Facts<Written<Members>>>(
  members: Members,
  facts?: Said,
): Group<Members, Standard<Written<Members>, Said>> =>
  ({
    ...ruled<Written<Members>>(option.anObject)({ shown: undefined, ...facts } as Facts<Written<Members>>),
    members,
    inside: inside(members),
  }) as Group<Members, Standard<Written<Members>, Said>>;

/** The same settings for each of several names, such as those of a queue. A name may have a `shorthand`. */
export const named = <Each>(
  members: Table,
  facts: Facts<Readonly<Record<string, Each>>> = {},
  shorthand: (value: unknown) => boolean = () => false,
): Setting<Readonly<Record<string, Each>>, undefined> => ({
  ...ruled<Readonly<Record<string, Each>>>(option.anObject)({ ...facts }),
  inside: (place: string, value: unknown) =>
    Object.entries(Object(value)).flatMap(([name, one]) =>
      shorthand(one) ? [] : faultsIn(`${place}.${name}`, one, members),
    ),
});

/** The same settings for each of a list. */
export const several = <Each>(members: Table): Setting<readonly Each[], undefined> => ({
  ...declarations<Each>(),
  inside: (place: string, value: unknown) =>
    (value as readonly unknown[]).flatMap((one, at) => faultsIn(`${place}[${at}]`, one, members)),
});

/** The same setting, without which its group cannot work. */
export const needed = <One extends Setting>(setting: One): One & { readonly required: true } => ({
  ...setting,
  required: true,
});

/** A number of bytes, or a text such as `"50MB"`. */
export const size = ruled<number | string>({
  is: (value) => bytesIn(value) !== undefined,
  says: 'a number of bytes, or a text such as "50MB"',
});
