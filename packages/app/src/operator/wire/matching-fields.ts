import { AppError } from "@postern/core";
import type { z } from "zod";
import { causeText, nameText, typeText } from "./texts.ts";
import { millisecondsOf, moment } from "./times.ts";

/** What the body of a request may say of the events that it is about. */
export const matchingFields = {
  provider: nameText(64).optional(),
  type: typeText.optional(),
  cause: causeText
    .optional()
    .meta({ description: "Only events whose latest failure has this cause: an id of `GET /admin/causes`." }),
  received_since: moment.optional().meta({ description: "Received at this time or later." }),
};

/** What a request says of the events that it is about. */
type Matching = Partial<z.infer<z.ZodObject<typeof matchingFields>>> & {
  readonly received_before?: string | undefined;
};

/** @throws AppError `validation_failed` for an empty range of time. `place` is where the members are in the body. */
export const requireRange = ({ received_since: since, received_before: before }: Matching, place: string): void => {
  if (since === undefined || before === undefined || Date.parse(since) < Date.parse(before)) return;
  const detail = "received_before is not after received_since";
  throw new AppError("validation_failed", {
    detail,
    faults: [{ pointer: `${place}/received_before`, code: "invalid_format", detail }],
  });
};

/** The same events as stores take them. */
export const matchingOf = ({ provider, type, cause, received_since: since, received_before: before }: Matching) => ({
  provider,
  type,
  cause,
  since: millisecondsOf(since),
  until: millisecondsOf(before),
});
