import type { JwtClaims } from "@postern/core/ports";

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** A claim by its name, or by a JSON Pointer (RFC 6901); `undefined` if the token has none. */
export const claimAt = (claims: JwtClaims, place: string): unknown =>
  place.startsWith("/")
    ? place
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce<unknown>(memberOf, claims)
    : memberOf(claims, place);
