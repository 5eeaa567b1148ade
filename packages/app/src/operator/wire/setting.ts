import { z } from "zod";
import { exampleSetting } from "./examples.ts";

/** A setting as the server uses it. */
export interface ShownSetting {
  /** A variable, or a member of the configuration file such as `limits.sessionSeconds`. */
  readonly name: string;
  /**
   * `null` if nothing sets it and it has no default, or one that other code decides. Of a secret only
   * `set` or `not set`.
   */
  readonly value: unknown;
  readonly secret: boolean;
  readonly origin: "option" | "environment" | "file" | "default";
  /** The variable that is set: the setting's own name, or with `_FILE` behind it. */
  readonly variable: string | null;
}

const origins = ["option", "environment", "file", "default"] as const satisfies readonly ShownSetting["origin"][];

export const setting = z
  .object({
    name: z
      .string()
      .meta({ description: "A variable, or a member of the configuration file such as `limits.sessionSeconds`." }),
    value: z.unknown().meta({
      description: "Null if it is not set and its default is decided elsewhere. Of a secret only `set` or `not set`.",
    }),
    secret: z.boolean(),
    origin: z.enum(origins).meta({
      description: "What sets it: an option of the command line, the environment, the configuration file, or nothing.",
    }),
    variable: z
      .string()
      .nullable()
      .meta({ description: "The variable of the environment that sets it: its name, or the name with `_FILE`." }),
  })
  .meta({ id: "setting", examples: [exampleSetting] });
