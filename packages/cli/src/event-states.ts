/** The states of an event. */
export const eventStates = [
  "received",
  "processing",
  "retrying",
  "processed",
  "dead",
  "cancelled",
  "ignored",
  "quarantined",
  "discarded",
] as const;
