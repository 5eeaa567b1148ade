import type { Covered, Location, RepeatRule } from "./scheme.ts";

/** Seconds, for the windows of rules. */
export const hour = 3_600;
export const day = 86_400;

/** A rule that every delivery fits. */
export type ContentRule = Extract<RepeatRule, { readonly by: "body" | "none" }>;

/** An id that the signature covers: the scheme's own. */
export const signedId: RepeatRule = { by: "signed-id" };

/** An id that the signature does not cover: the scheme's own unless a place is given. */
export const unsignedId = (id?: Location): RepeatRule => ({ by: "unsigned-id", ...(id !== undefined && { id }) });

/** The same body again. `without`: what changes when the sender tries again. */
export const sameBody = (windowSeconds: number, without?: readonly string[]): RepeatRule => ({
  by: "body",
  ...(without !== undefined && { without }),
  windowSeconds,
});

/**
 * The same signed content, for bodies that recur and for those of which not all is signed. Where a
 * time is signed, a message that is signed anew is a new event.
 */
export const sameMessage = (windowSeconds: number = hour): ContentRule => ({ by: "body", exact: true, windowSeconds });

/** Nothing tells a repeat. */
export const noRepeat: ContentRule = { by: "none" };

/**
 * What tells a repeat where all rules of a scheme go by ids and a delivery has none: the same signed
 * content within an hour, if the body is signed. Where only the sender is proved, or less than the
 * body is signed, two events may have the same, so nothing does.
 */
export const ruleWithoutId = (covered: readonly Covered[]): ContentRule =>
  covered.includes("body") ? sameMessage() : noRepeat;

/** For senders whose users decide what a request holds: an id counts if they send one. */
export const idIfSent: readonly RepeatRule[] = [unsignedId(), noRepeat];

/** The place of such an id. */
export const usualIdHeaders = "header:webhook-id|idempotency-key|x-idempotency-key";
