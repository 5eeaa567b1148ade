import { z } from "zod";
import { causeText, moment } from "./numeric-ids.ts";

/** What the body of a request may say of the events that it is about. */
export const matchingFields = {
  provider: z.string().max(64).optional(),
  type: z.string().max(128).optional(),
  cause: causeText
    .optional()
    .meta({ description: "Only events whose latest failure has this cause: an id of `GET /admin/causes`." }),
  received_since: moment.optional().meta({ description: "Received at this time or later." }),
};
