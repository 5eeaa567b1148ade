import type { JsonSchema } from "./json-schema.ts";

/**
 * A schema of any library that implements Standard Schema (standardschema.dev): zod, valibot,
 * arktype and others.
 */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema (standardschema.dev/json-schema), of libraries that offer it. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => JsonSchema;
      readonly output: (options: { readonly target: "draft-2020-12" }) => JsonSchema;
    };
  };
}

export type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The place of an issue as a pointer (RFC 6901); empty for the whole value. */
export const standardPointer = ({ path = [] }: Pick<StandardIssue, "path">): string =>
  path
    .map(
      (step) =>
        `/${String(typeof step === "object" ? step.key : step)
          .replaceAll("~", "~0")
          .replaceAll("/", "~1")}`,
    )
    .join("");
