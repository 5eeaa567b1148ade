import { readdirSync } from "node:fs";
import { schemes } from "../src/all-schemes.ts";
import type { Scheme, SchemeFacts } from "../src/scheme.ts";

/** The facts of a scheme, with those that follow from its layout. */
export type WholeFacts = SchemeFacts & Required<Pick<SchemeFacts, "headers" | "signed" | "encoding">>;

const folder = new URL("../src/schemes/", import.meta.url);

const written: ReadonlyMap<string, SchemeFacts> = new Map(
  await Promise.all(
    readdirSync(folder)
      .filter((file) => file !== "index.ts")
      .map(async (file): Promise<[string, SchemeFacts]> => {
        // Each module of a scheme exports its facts under this name; the tests of the documentation
        // fail without.
        const { facts } = (await import(new URL(file, folder).href)) as { readonly facts: SchemeFacts };
        return [file.replace(/\.ts$/, ""), facts];
      }),
  ),
);

/** What the documentation says about a scheme. */
export const factsOf = ({ name, layout }: Scheme): WholeFacts => {
  const facts = written.get(name);
  if (facts === undefined) throw new TypeError(`src/schemes/${name}.ts exports no facts.`);
  const { headers, signed, encoding } = facts;
  if (headers !== undefined && signed !== undefined && encoding !== undefined)
    return { ...facts, headers, signed, encoding };
  if (layout === undefined) throw new TypeError(`The facts of ${name} need headers, signed and encoding.`);
  const { signature, timestamp, idHeader, keyIdHeader } = layout;
  return {
    headers: [signature.header, timestamp?.header, idHeader, keyIdHeader].flatMap((header) => header ?? []),
    signed: layout.signed,
    encoding: signature.encoding.name,
    ...facts,
  };
};

/** All schemes in the order of their names. */
export const allSchemes: readonly Scheme[] = Object.values(schemes);
