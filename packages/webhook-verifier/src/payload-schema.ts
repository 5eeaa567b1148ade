import type { Delivery } from "./delivery.ts";
import { refuse } from "./errors.ts";
import type { MaybePromise } from "./runtime.ts";

/**
 * The parts that are used of Standard Schema, version 1 (https://standardschema.dev): zod, valibot,
 * arktype.
 */
export interface PayloadSchema<Output = unknown> {
  readonly "~standard": {
    readonly validate: (
      value: unknown,
    ) => MaybePromise<
      { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly unknown[] }
    >;
  };
}

/**
 * Returns the delivery with the payload that the schema returns. @throws WebhookVerificationError
 * `payload_invalid`
 */
export const withSchema = async (verified: MaybePromise<Delivery>, schema: PayloadSchema): Promise<Delivery> => {
  const delivery = await verified;
  const outcome = await schema["~standard"].validate(delivery.payload);
  if (outcome.issues) return refuse("payload_invalid", "The payload does not fit the schema.", outcome.issues);
  return Object.defineProperty(delivery, "payload", { value: outcome.value, enumerable: true });
};
