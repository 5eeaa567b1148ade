import { hashHex } from "#platform";
import { bodyWithout } from "./body-without.ts";
import type { HeaderSource } from "./headers.ts";
import { isInBody, textAt } from "./places.ts";
import { type ContentRule, ruleWithoutId } from "./repeat-rules.ts";
import { after, type MaybePromise } from "./runtime.ts";
import type { Assertion, Covered, Location, RepeatRule, Scheme } from "./scheme.ts";

/** On what it was decided whether a delivery is a repeat. */
export interface Repeat {
  readonly by: RepeatRule["by"];
  /**
   * For how many seconds the same body is a repeat. `undefined` for ids, and for bodies that no two
   * events share.
   */
  readonly windowSeconds?: number | undefined;
}

/** What tells a delivery, or an event of a batch, from others. */
export interface Identified {
  /**
   * Tells repeats: each delivery of an event has the same. `undefined` if nothing tells them: then
   * every delivery is an event of its own. With `repeat.windowSeconds` it counts only for that
   * long.
   */
  readonly dedupeKey?: string | undefined;
  /** On what that was decided. */
  readonly repeat: Repeat;
}

/** What is known of a delivery. */
interface Seen {
  readonly scheme: Scheme;
  readonly claims: readonly Assertion[];
  readonly covered: readonly Covered[];
  readonly id: string | undefined;
  readonly body: Uint8Array;
  readonly url: string | undefined;
  readonly headers: HeaderSource;
  readonly inBody: (path: string) => unknown;
}

/** SHA-256 in lower-case hex. */
export const sha256Hex = async (bytes: Uint8Array): Promise<string> => hashHex("sha256", [bytes]);

/**
 * The same, without waiting if the platform can (Node, Bun, Deno): a promise costs as much as
 * hashing a small body.
 */
export const sha256HexSoon = (bytes: Uint8Array): MaybePromise<string> => hashHex("sha256", [bytes]);

/** The SHA-256 of all that was signed, in hex. */
export const signedDigestOf = (claims: readonly Assertion[]): MaybePromise<string> =>
  hashHex(
    "sha256",
    claims.flatMap(({ digested, signed }) => digested ?? signed),
  );

/** A key that says of what kind it is, so that none meets an id that is signed: that is the key as it is. */
const keyOf = (kind: "id" | "body", value: string): string => `2:${kind}:${value}`;

const isCovered = (place: string, covered: readonly string[]): boolean =>
  covered.includes(place) || (place.startsWith("body:") && covered.includes("body"));

/** Whether the signature covers the id at a place. Of several claims, none speaks for the whole. */
const isSigned = ({ scheme, covered, claims }: Seen, place: Location | undefined): boolean =>
  claims.length < 2 &&
  ((covered.includes("id") && (place ?? scheme.id) === scheme.id) ||
    (place !== undefined &&
      [place].flat().every((one) => isCovered(one, covered) || isCovered(one.replace("body:", "field:"), covered))));

/** The text at a place. Where several parts make an id, one alone would name other events as well. */
const wholeAt = (place: Location, { headers, inBody }: Seen): string | undefined =>
  [place].flat().every((part) => textAt(part, headers, inBody) !== undefined)
    ? textAt(place, headers, inBody)
    : undefined;

/** The key by the body: what `without` names is left out. */
const bodyKey = (
  { body, url, covered, headers, inBody, claims }: Seen,
  { without = [], exact, with: beside }: Extract<RepeatRule, { by: "body" }>,
): MaybePromise<string> =>
  after(
    exact
      ? signedDigestOf(claims)
      : hashHex("sha256", [
          `${(covered.includes("url") && url) || ""}\n${textAt(beside, headers, inBody) ?? ""}\n`,
          bodyWithout(body, without),
        ]),
    (digest) => keyOf("body", digest),
  );

const byContent = (seen: Seen, rule: ContentRule): MaybePromise<Identified> => {
  const { by } = rule;
  if (by === "none") return { repeat: { by } };
  const { windowSeconds } = rule;
  return after(bodyKey(seen, rule), (dedupeKey) => ({ dedupeKey, repeat: { by, windowSeconds } }));
};

/**
 * What tells a delivery from others, by the first of `rules` that it fits; if all go by ids and it
 * has none, by `ruleWithoutId`. Without rules: an id that the signature covers, else the signed
 * content. If the signature covers only the sender, anybody who can send at all can send any body:
 * an id in the body counts, and without one nothing tells repeats, because bodies recur.
 */
export const identityOf = (seen: Seen, rules: readonly RepeatRule[] | undefined): MaybePromise<Identified> => {
  const { scheme, claims, covered } = seen;
  const own = covered.includes("id") || (covered.includes("sender") && isInBody(scheme.id));
  const ownId = own && claims.length < 2 ? seen.id : undefined;

  if (rules === undefined) {
    if (ownId !== undefined)
      return { dedupeKey: ownId, repeat: { by: covered.includes("id") ? "signed-id" : "unsigned-id" } };
    return covered.includes("sender")
      ? { repeat: { by: "none" } }
      : after(signedDigestOf(claims), (dedupeKey) => ({ dedupeKey, repeat: { by: "body" } }));
  }
  for (const rule of rules) {
    const { by } = rule;
    if (by === "none" || by === "body") return byContent(seen, rule);
    const id = rule.id === undefined ? seen.id : wholeAt(rule.id, seen);
    if (id === undefined) continue;
    if (by === "unsigned-id") return { dedupeKey: id === ownId ? id : keyOf("id", id), repeat: { by } };
    if (isSigned(seen, rule.id)) return { dedupeKey: id, repeat: { by } };
  }
  return byContent(seen, ruleWithoutId(covered));
};
