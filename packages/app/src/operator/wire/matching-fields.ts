import { causeText, nameText, storableText } from "./texts.ts";
import { moment } from "./times.ts";

/** What the body of a request may say of the events that it is about. */
export const matchingFields = {
  provider: nameText(64).optional(),
  type: storableText(128).optional(),
  cause: causeText
    .optional()
    .meta({ description: "Only events whose latest failure has this cause: an id of `GET /admin/causes`." }),
  received_since: moment.optional().meta({ description: "Received at this time or later." }),
};
