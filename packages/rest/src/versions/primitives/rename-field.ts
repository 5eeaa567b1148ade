import type { MemberEffect } from "../version.ts";

/** The newer version calls a member `to`; it was `from`. Nothing else about it has changed. */
export const renameField = (field: {
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.to,
  schemaDown: (newer) => newer,
  down: (value) => value,
  up: (value) => value,
  checked: false,
  placeDown: (inside) => inside,
});
