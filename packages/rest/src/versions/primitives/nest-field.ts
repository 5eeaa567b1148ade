import { isObject } from "@postern/core/parts";
import { propertiesOf } from "../../json-schema/json-schema.ts";
import type { MemberEffect } from "../version.ts";

/** The newer version has an object `into`. Its member `as` holds what was the value of `from`. */
export const nestField = (field: {
  readonly resource: string;
  readonly from: string;
  readonly into: string;
  readonly as: string;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.into,
  within: field.as,
  schemaDown: (newer) => {
    const member = propertiesOf(newer).get(field.as);
    if (member === undefined) throw new TypeError(`${field.resource}.${field.into} has no member "${field.as}"`);
    return member;
  },
  down: (value) => (isObject(value) ? value[field.as] : value),
  up: (value) => ({ [field.as]: value }),
  checked: false,
  placeDown: ([first, ...rest]) => (first === field.as ? rest : []),
});
