import { readdirSync } from "node:fs";
import type { Scheme, SchemeFacts } from "../src/scheme.ts";

/** The facts of a scheme, with those that follow from its layout. */
export type WholeFacts = SchemeFacts & Required<Pick<SchemeFacts, "headers" | "signed" | "encoding">>;

/** What the module of a scheme exports: the scheme by its name in camel case, and its facts. */
interface SchemeModule {
  readonly scheme: Scheme;
  readonly facts: SchemeFacts;
}

const folder = new URL("../src/schemes/", import.meta.url);

/** The name that the module of a scheme gives it. */
export const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const load = async (name: string): Promise<SchemeModule> => {
  const module = (await import(new URL(`${name}.ts`, folder).href)) as Readonly<Record<string, unknown>>;
  const [scheme, facts] = [module[camelCase(name)], module.facts];
  if (scheme === undefined || facts === undefined)
    throw new TypeError(`src/schemes/${name}.ts must export ${camelCase(name)} and facts.`);
  return { scheme: scheme as Scheme, facts: facts as SchemeFacts };
};

/** The names of all schemes, in order: each is the name of a file. */
export const names: readonly string[] = readdirSync(folder)
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();

const modules: ReadonlyMap<string, SchemeModule> = new Map(
  await Promise.all(names.map(async (name): Promise<[string, SchemeModule]> => [name, await load(name)])),
);

/** All schemes in the order of their names. */
export const allSchemes: readonly Scheme[] = [...modules.values()].map(({ scheme }) => scheme);

/** Headers, signed content and encoding of a scheme, where they follow from its data. */
const shownBy = ({ layout, sign, id }: Scheme): Partial<WholeFacts> => {
  if (layout !== undefined) {
    const { signature, timestamp, idHeader, keyIdHeader } = layout;
    return {
      headers: [signature.header, timestamp?.header, idHeader, keyIdHeader].flatMap((header) => header ?? []),
      signed: layout.signed,
      encoding: signature.encoding.name,
    };
  }
  if (sign !== "standard-webhooks") return {};
  const idHeader = String(id).slice("header:".length);
  return {
    headers: ["id", "timestamp", "signature"].map((part) => idHeader.replace(/id$/, part)),
    signed: "{id}.{timestamp}.{body}",
    encoding: "base64",
  };
};

/** What the documentation says about a scheme. */
export const factsOf = (scheme: Scheme): WholeFacts => {
  const { name } = scheme;
  const facts = modules.get(name)?.facts;
  if (facts === undefined) throw new TypeError(`src/schemes/${name}.ts exports no scheme of that name.`);
  const whole = { ...shownBy(scheme), ...facts };
  const { headers, signed, encoding } = whole;
  if (headers === undefined || signed === undefined || encoding === undefined)
    throw new TypeError(`The facts of ${name} need headers, signed and encoding.`);
  return { ...whole, headers, signed, encoding };
};

/** How far the signed time may be from now. */
export const windowOf = ({ toleranceSeconds, covered }: Scheme): string =>
  toleranceSeconds !== undefined
    ? `± ${toleranceSeconds} s`
    : covered.includes("timestamp")
      ? "none by default"
      : "no time signed";
