import { z } from "zod";
import { moment } from "./times.ts";

export const entry = z.object({
  id: z.string(),
  at: moment,
  actor: z.object({
    kind: z.enum(["user", "operator", "anonymous"]),
    id: z.string().nullable().meta({ description: "The user's id, or the operator's name." }),
  }),
  credential: z
    .string()
    .nullable()
    .meta({ description: "The credential that the actor used: `session:…`, `api-key:…`, `cli`." }),
  action: z.string().meta({ description: "The operation's `operationId`, or the name of the event." }),
  resource: z.string().nullable(),
  resource_id: z.string().nullable(),
  result: z.string().meta({ description: "`done`, or the code of the error it ended with." }),
  request_id: z.string(),
  address: z.string().meta({
    description: "Where the request came from; `erased:…` after the account was deleted, as `request_id` is `erased`.",
  }),
  fields: z.array(z.string()).meta({ description: "The fields that were given a value; never the values." }),
  place: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: "Its place in the chain of entries; null until it is sealed, which takes about a minute." }),
  digest: z
    .string()
    .max(64)
    .nullable()
    .meta({ description: "A digest over the entry, its place and the previous digest; null until it is sealed." }),
  salt: z.string().max(64).nullable().meta({
    description: "The salt with which the digest covers `address` and `request_id`; null once they are erased.",
  }),
});

export const listedEntry = entry.meta({
  examples: [
    {
      id: "731",
      at: "2026-11-21T08:30:00.120Z",
      actor: { kind: "user", id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a" },
      credential: "session:019a5e2d-1f60-7a08-8d7c-5a90be3f2c41",
      action: "posts.update",
      resource: "post",
      resource_id: "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92",
      result: "done",
      request_id: "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11",
      address: "192.0.2.7",
      fields: ["title", "status"],
      place: 730,
      digest: "5cFQzK0r8vJ1mYd2WnXo6TtGhL4sRbE9uPiAqC7wNfM",
      salt: "Qm3xV8kZr1tYw6Ub",
    },
  ],
});
