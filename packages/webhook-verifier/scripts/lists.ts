import { docstringOf } from "./docstring.ts";
import { allSchemes, camelCase, names } from "./facts.ts";

const made = "/** Made from the files of `schemes` by `scripts/docs.ts`: do not edit. */";

/** A name as the key of an object. */
const keyOf = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));

/** `src/generated/schemes.ts`: the table of all schemes. */
export const schemesModule = (): string => `${made}

import type { Scheme } from "../scheme.ts";
${names.map((name) => `import { ${camelCase(name)} } from "../schemes/${name}.ts";`).join("\n")}

/** Every scheme by its name. The docstrings stand in a type, so that no program carries them. */
export type Schemes = {
${allSchemes.map((scheme) => `  ${docstringOf(scheme).replaceAll("\n", "\n  ")}\n  readonly ${keyOf(scheme.name)}: Scheme;`).join("\n")}
};

/** Every scheme by its name. */
export const all: Schemes = {
${names.map((name) => `  ${keyOf(name)}: ${camelCase(name)},`).join("\n")}
};
`;

/** `src/generated/loaders.ts`: what loads one scheme. */
export const loadersModule = (): string => `${made}

import type { Scheme } from "../scheme.ts";

/** Loads each scheme by its name. */
export const loaders = {
${names.map((name) => `  ${keyOf(name)}: async () => (await import("../schemes/${name}.ts")).${camelCase(name)},`).join("\n")}
} as const satisfies Readonly<Record<string, () => Promise<Scheme>>>;
`;
