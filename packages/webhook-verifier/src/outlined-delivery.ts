import { immediate, outlineOf } from "#platform";
import { type deliveryOf, VerifiedDelivery } from "./delivery.ts";
import { textAt } from "./places.ts";
import type { JsonOutline } from "./platform/contract.ts";
import type { Incoming } from "./request.ts";
import type { Assertion, Location, RepeatRule, Scheme } from "./scheme.ts";

/**
 * A delivery that finds id and type in the bytes of its body. It parses the body only if they cannot
 * be found so, or if the payload is read. Only the engine has it: receivers in browsers and on the
 * edge would have to ship it.
 */
class OutlinedDelivery extends VerifiedDelivery {
  readonly #scheme: Scheme;
  readonly #incoming: Incoming;
  readonly #claims: readonly Assertion[];
  #outlined: JsonOutline | null | undefined = null;

  constructor(
    scheme: Scheme,
    incoming: Incoming,
    claims: readonly Assertion[],
    dedupe: readonly RepeatRule[] | undefined,
  ) {
    super(scheme, incoming, claims, dedupe);
    this.#scheme = scheme;
    this.#incoming = incoming;
    this.#claims = claims;
  }

  #outline(): JsonOutline | undefined {
    if (this.#outlined === null) this.#outlined = outlineOf(this.body, this.#scheme);
    return this.#outlined;
  }

  override get payload(): unknown {
    // An outline would save nothing any more.
    this.#outlined ??= undefined;
    return super.payload;
  }

  override get id(): string | undefined {
    return this.#signed("id") ?? this.#found("id") ?? (this.#outlined ? undefined : super.id);
  }

  override get type(): string | undefined {
    return this.#signed("type") ?? this.#found("type") ?? (this.#outlined ? undefined : super.type);
  }

  get depth(): number | undefined {
    return this.#outline()?.depth;
  }

  get hasData(): boolean | undefined {
    return this.#outline()?.hasData;
  }

  /** What the one claim of the delivery says. Of several, none speaks for the whole. */
  #signed(part: "id" | "type"): string | undefined {
    return this.#claims.length === 1 ? this.#claims[0]?.[part] : undefined;
  }

  /** What the body says, if it has an outline, and the headers. */
  #found(part: "id" | "type"): string | undefined {
    const outline = this.#outline();
    if (!outline) return undefined;
    const place = this.#scheme[part];
    const text = outline[part];
    if (text === undefined || typeof place === "string") return text ?? this.#inHeaders(place);
    // The body holds one part of several.
    return place?.flatMap((each) => (each.startsWith("body:") ? text : (this.#inHeaders(each) ?? []))).join(".");
  }

  #inHeaders(place: Location | undefined): string | undefined {
    return textAt(place, this.#incoming.headers, () => undefined);
  }
}

export const outlinedDeliveryOf: typeof deliveryOf = (scheme, incoming, claims, dedupe) => {
  const delivery = new OutlinedDelivery(scheme, incoming, claims, dedupe);
  return immediate ? delivery : VerifiedDelivery.settle(delivery);
};
