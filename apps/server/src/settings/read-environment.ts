import { readFileSync } from "node:fs";
import { didYouMean } from "@postern/core/internal";
import { type ProviderDeclaration, repeatsWithin, senderSettings, senderVariables } from "./senders.ts";
import type { Setting, Table } from "./setting.ts";

/** The environment of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable, as the server reads it. */
export interface VariableInEffect {
  /** The setting's name in the table. Of a sender's setting, the variable. */
  readonly path: string;
  readonly name: string;
  /** The value, or the default of the variable itself. Of a secret only `set` or `not set`. */
  readonly value: unknown;
  /** Whether the value must not be shown. */
  readonly secret: boolean;
  /** The variable that is set, which may be `NAME_FILE`; `undefined` if none is. */
  readonly variable: string | undefined;
}

/** The settings of a table and of its groups, each with its name in the table, such as `mail.url`. */
const leavesOf = (table: Table, within = ""): readonly (readonly [path: string, setting: Setting])[] =>
  Object.entries(table).flatMap(([name, setting]) =>
    setting.members === undefined
      ? [[within + name, setting] as const]
      : leavesOf(setting.members, `${within}${name}.`),
  );

/** Those that a variable sets. */
export const variablesOf = (table: Table): readonly (readonly [path: string, setting: Setting & { env: string }])[] =>
  leavesOf(table).flatMap(([path, setting]) =>
    setting.env === undefined ? [] : [[path, { ...setting, env: setting.env }] as const],
  );

/**
 * The variables that are set. Empty ones count as absent. If `NAME_FILE` names a file, its content is
 * the value of the secret `NAME`.
 */
const withFiles = (environment: Variables, table: Table, faults: string[]): Variables => {
  const secrets = new Set(variablesOf(table).flatMap(([, { env, secret }]) => (secret === true ? [env] : [])));
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && value !== "") given[name] = value;
  for (const [name, path] of Object.entries(given)) {
    const target = name.replace(/_FILE$/, "");
    if (target === name || !(secrets.has(target) || target.startsWith("WEBHOOK_"))) continue;
    delete given[name];
    if (given[target] !== undefined) {
      faults.push(`${target} and ${name} cannot both be set.`);
      continue;
    }
    try {
      given[target] = readFileSync(path, "utf8").trim();
    } catch {
      faults.push(`${name}: the file ${path} cannot be read.`);
    }
  }
  return given;
};

/** Variables of the command line, which a server ignores. */
const ofCommandLine = ["POSTERN_SERVER", "POSTERN_TOKEN"];

/** Variables that are no settings, each with the nearest right name. */
const unknownVariables = (given: Variables, table: Table): readonly string[] => {
  const known = [...variablesOf(table).map(([, { env }]) => env), ...ofCommandLine];
  return Object.keys(given)
    .filter((name) => name.startsWith("POSTERN_") && !known.includes(name))
    .map((name) => `${name} is not a setting of this server${didYouMean([name], known) || "."}`);
};

/** The value of a variable. A text that means none is a fault, and stays as it is: the setting was given. */
const valueIn = (variable: string, { read, is, written }: Setting, text: string, faults: string[]): unknown => {
  const value = read(text);
  if (is(value)) return value;
  faults.push(`${variable} must be ${written}.`);
  return text;
};

/** A group is there if one of its variables is, and then it needs those without which it cannot work. */
const groupIn = (members: Table, standard: unknown, given: Variables, faults: string[]): unknown => {
  const all = variablesOf(members);
  const set = all.filter(([, { env }]) => given[env] !== undefined);
  if (set.length === 0) return standard;
  const needed = all.filter(([, { required }]) => required === true).map(([, { env }]) => env);
  const missing = needed.filter((env) => given[env] === undefined);
  if (missing.length > 0 && missing.length < needed.length) faults.push(`${needed.join(" and ")} go together.`);
  else if (missing.length > 0) faults.push(...set.map(([, { env }]) => `${env} needs ${missing[0]}.`));
  return readTable(Object.fromEntries(set), given, faults);
};

/** What the environment says of a table, and the defaults of the others; faults of all of it at once. */
const readTable = (table: Table, given: Variables, faults: string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, setting]) => {
      if (setting.members !== undefined) return [name, groupIn(setting.members, setting.default, given, faults)];
      const text = setting.env === undefined ? undefined : given[setting.env];
      return [name, text === undefined ? setting.default : valueIn(`${setting.env}`, setting, text, faults)];
    }),
  );

const ofSender = { ...senderSettings, ...senderVariables };
const suffixes = variablesOf(ofSender).map(([, { env }]) => env);
const pattern = new RegExp(`^WEBHOOK_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(${suffixes.join("|")})$`);

/** The setting of senders that a variable sets. */
const senderSettingOf = (variable: string): Setting | undefined => {
  const [, , suffix] = pattern.exec(variable) ?? [];
  return Object.values<Setting>(ofSender).find(({ env }) => env !== undefined && env === suffix);
};

/** `DEDUPE_WINDOW` is a part of `DEDUPE`. */
const withWindow = (
  prefix: string,
  { dedupeWindow, ...declared }: Readonly<Record<string, unknown>>,
  faults: string[],
): ProviderDeclaration => {
  if (dedupeWindow === undefined) return declared;
  if (declared.dedupe !== "body") faults.push(`${prefix}DEDUPE_WINDOW needs ${prefix}DEDUPE=body.`);
  return { ...declared, dedupe: repeatsWithin(String(dedupeWindow)) };
};

/** The senders in `WEBHOOK_<NAME>_…`, by name: `WEBHOOK_MY_SHOP_SECRET` is the sender `my-shop`. */
export const readSenders = (given: Variables, faults: string[]): Readonly<Record<string, ProviderDeclaration>> => {
  const variables = Object.keys(given).filter((name) => name.startsWith("WEBHOOK_") && given[name] !== undefined);
  faults.push(
    ...variables
      .filter((name) => !pattern.test(name))
      .map((name) => `${name} is not a setting: use WEBHOOK_<NAME>_ with ${suffixes.join(", ")}.`),
  );
  const names = new Set(variables.flatMap((variable) => pattern.exec(variable)?.[1] ?? []));
  return Object.fromEntries(
    [...names].map((name) => {
      const prefix = `WEBHOOK_${name}_`;
      const own = Object.fromEntries(variables.map((variable) => [variable.replace(prefix, ""), given[variable]]));
      const declared = Object.entries<Setting>(ofSender).flatMap(([member, setting]) => {
        const text = own[setting.env ?? ""];
        return text === undefined ? [] : [[member, valueIn(`${prefix}${setting.env}`, setting, text, faults)] as const];
      });
      if (!declared.some(([member]) => ["secret", "publicKey", "jwksUrl"].includes(member)))
        faults.push(
          `${variables.find((variable) => variable.startsWith(prefix))} is set, but no key: set ${prefix}SECRET or ${prefix}PUBLIC_KEY.`,
        );
      return [name.toLowerCase().replaceAll("_", "-"), withWindow(prefix, Object.fromEntries(declared), faults)];
    }),
  );
};

/** Every variable, and those of senders that are set. */
const inEffect = (
  environment: Variables,
  given: Variables,
  table: Table,
  values: Readonly<Record<string, unknown>>,
): readonly VariableInEffect[] => {
  const shown = (path: string, name: string, { secret, mayShow }: Setting, value: unknown): VariableInEffect => {
    const variable = given[name] === undefined ? undefined : environment[name] ? name : `${name}_FILE`;
    const hidden = secret === true && mayShow?.(value) !== true;
    const presence = variable === undefined ? "not set" : "set";
    return { path, name, value: hidden ? presence : value, secret: hidden, variable };
  };
  const valueAt = (path: string): unknown =>
    path.split(".").reduce<unknown>((value, member) => Object(value)[member], values);
  return [
    ...variablesOf(table).map(([path, setting]) => shown(path, setting.env, setting, valueAt(path))),
    ...Object.keys(given).flatMap((name) => {
      const setting = senderSettingOf(name);
      return setting === undefined ? [] : [shown(name, name, setting, given[name])];
    }),
  ];
};

/** What an environment says of a table, and of senders, with all faults at once. */
export const readEnvironment = (environment: Variables, table: Table) => {
  const faults: string[] = [];
  const given = withFiles(environment, table, faults);
  faults.push(...unknownVariables(given, table));
  const values = readTable(table, given, faults);
  const senders = readSenders(given, faults);
  return { values, senders, variables: inEffect(environment, given, table, values), faults };
};
