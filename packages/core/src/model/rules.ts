import { type Condition, equals, everything, nothing } from "../ports/condition.ts";
import type { Caller } from "./caller.ts";
import type { FieldValue } from "./field-value.ts";

/** What access rules look at. A caller without a role satisfies no rule made with `withRole`. */
export type RuleCaller = Pick<Caller, "userId"> & Partial<Pick<Caller, "role">>;

/**
 * Which rows a signed-in caller may see or change, as a value. `conditionOf` reads it for a database,
 * `allowsRow` for a row in memory; a test shows that both agree. Administrators may access every row,
 * but for those of `nobody`. `Name` lists the fields that the rule may use.
 */
export type AccessRule<Name extends string = string> =
  | { readonly rule: "owned"; readonly field: Name }
  | { readonly rule: "where"; readonly field: Name; readonly value: string }
  | { readonly rule: "role"; readonly roles: readonly string[] }
  | { readonly rule: "through"; readonly via: Name; readonly resource: string; readonly of: AccessRule }
  | { readonly rule: "signed-in" }
  | { readonly rule: "nobody" }
  | { readonly rule: "any"; readonly rules: readonly AccessRule<Name>[] }
  | { readonly rule: "all"; readonly rules: readonly AccessRule<Name>[] };

/** The caller's own rows: those whose `field` holds the caller's id. */
export const ownedBy = <Name extends string>(field: Name): AccessRule<Name> => Object.freeze({ rule: "owned", field });

/** Rows whose `field` has this value, for any signed-in caller. */
export const where = <Name extends string>(field: Name, value: string): AccessRule<Name> =>
  Object.freeze({ rule: "where", field, value });

/** Every row for a caller with one of these roles, no row for the others. */
export const withRole = (...roles: readonly string[]): AccessRule<never> =>
  Object.freeze({ rule: "role", roles: Object.freeze(roles) });

/** Rows whose reference `via` leads to a row of `resource` that satisfies the rule; at most three deep. */
export const through = <Name extends string>(via: Name, resource: string, rule: AccessRule): AccessRule<Name> =>
  Object.freeze({ rule: "through", via, resource, of: rule });

/** Every row, for everybody who is signed in. */
export const signedIn: AccessRule<never> = Object.freeze({ rule: "signed-in" });

/** No row for any caller, administrators included: only the application's own code. */
export const nobody: AccessRule<never> = Object.freeze({ rule: "nobody" });

/** Rows that satisfy any of the rules. */
export const anyOf = <Name extends string>(...rules: readonly AccessRule<Name>[]): AccessRule<Name> =>
  Object.freeze({ rule: "any", rules: Object.freeze(rules) });

/** Rows that satisfy all of the rules. */
export const allOf = <Name extends string>(...rules: readonly AccessRule<Name>[]): AccessRule<Name> =>
  Object.freeze({ rule: "all", rules: Object.freeze(rules) });

/** The reader for a database: the rows of a rule as a condition. */
export const conditionOf = <Name extends string>(rule: AccessRule<Name>, caller: RuleCaller): Condition<Name> => {
  switch (rule.rule) {
    case "owned":
      return equals(rule.field, caller.userId);
    case "where":
      return equals(rule.field, rule.value);
    case "role":
      return caller.role !== undefined && rule.roles.includes(caller.role) ? everything : nothing;
    case "through":
      return { via: rule.via, resource: rule.resource, where: conditionOf(rule.of, caller) };
    case "signed-in":
      return everything;
    case "nobody":
      return nothing;
    case "any":
      return { any: rule.rules.map((one) => conditionOf(one, caller)) };
    case "all":
      return { all: rule.rules.map((one) => conditionOf(one, caller)) };
  }
};

type Row = Readonly<Record<string, FieldValue>>;

/** Reads the row of another resource that a rule leads to; `undefined` if there is none. */
export type FindReferred = (resource: string, id: string) => Promise<Row | undefined>;

/** The reader in memory: whether a rule allows this row, which need not be stored. */
export const allowsRow = async (
  rule: AccessRule,
  caller: RuleCaller,
  row: Row,
  find: FindReferred,
): Promise<boolean> => {
  switch (rule.rule) {
    case "owned":
      return row[rule.field] === caller.userId;
    case "where":
      return row[rule.field] === rule.value;
    case "role":
      return caller.role !== undefined && rule.roles.includes(caller.role);
    case "through": {
      const id = row[rule.via];
      const referred = typeof id === "string" ? await find(rule.resource, id) : undefined;
      return referred !== undefined && allowsRow(rule.of, caller, referred, find);
    }
    case "signed-in":
      return true;
    case "nobody":
      return false;
    case "any":
      for (const one of rule.rules) if (await allowsRow(one, caller, row, find)) return true;
      return false;
    case "all":
      for (const one of rule.rules) if (!(await allowsRow(one, caller, row, find))) return false;
      return true;
  }
};

/** Whether a rule opens a row to nobody, administrators included. */
export const isForNobody = (rule: AccessRule): boolean => {
  if (rule.rule === "any") return rule.rules.every(isForNobody);
  if (rule.rule === "all") return rule.rules.some(isForNobody);
  return rule.rule === "nobody";
};

/** The fields of the row itself that a rule looks at. */
export const fieldsOf = (rule: AccessRule): readonly string[] => {
  if (rule.rule === "any" || rule.rule === "all") return rule.rules.flatMap(fieldsOf);
  if (rule.rule === "through") return [rule.via];
  return "field" in rule ? [rule.field] : [];
};

const mostDeep = 3;

const depthOf = (rule: AccessRule): number => {
  if (rule.rule === "any" || rule.rule === "all") return Math.max(0, ...rule.rules.map(depthOf));
  return rule.rule === "through" ? 1 + depthOf(rule.of) : 0;
};

/** Whether a value is a rule as the functions above make them. */
export const isRule = (value: unknown): boolean => {
  const { rule, rules, of } = Object(value);
  if (rule === "any" || rule === "all") return Array.isArray(rules) && rules.every(isRule);
  if (rule === "through") return isRule(of) && depthOf(value as AccessRule) <= mostDeep;
  return ["owned", "where", "role", "signed-in", "nobody"].includes(rule);
};
