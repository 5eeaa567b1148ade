import type { JsonSchema } from "@postern/core";
import type { MemberEffect } from "../version.ts";

/**
 * The newer version has `to` in the place of `from`, in another form. `up` is called with values that satisfy the older schema only. It need not
 * give back all that `down` took: what a caller sends back as they read it stays as it is stored.
 */
export const replaceField = (field: {
  readonly resource: string;
  readonly from: string;
  /** The same name as `from` where only the form changed. */
  readonly to: string;
  readonly schemaDown: (newer: JsonSchema) => JsonSchema;
  readonly down: (value: unknown) => unknown;
  readonly up: (value: unknown) => unknown;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.to,
  schemaDown: field.schemaDown,
  down: field.down,
  up: field.up,
  checked: true,
  placeDown: () => [],
});
