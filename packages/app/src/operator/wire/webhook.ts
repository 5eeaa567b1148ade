import { eventStates } from "@postern/core/ports";
import { z } from "zod";

export const receivedDelivery = z.object({
  id: z.string().meta({ description: "The event's id here.", examples: ["2051"] }),
  status: z.enum(["accepted", "duplicate", "ignored", "quarantined"]),
  state: z.enum(eventStates).optional().meta({
    description:
      "Only for a duplicate whose event is dead. It stays `dead`, unless `replay_on_resend` of its provider runs it again.",
  }),
});
