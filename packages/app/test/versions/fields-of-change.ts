import { type Field, jsonObject, ownedBy, type Resource } from "@postern/core";
import { z } from "zod";

/** A field that everyone may filter and sort by. */
export const listed = { filter: "everyone", sort: "everyone" } as const;

/** An object whose members a version can nest and take out. */
export const place: Field = {
  ...jsonObject({ default: { city: "Rome", country: "IT" }, description: "Where." }),
  schema: z.strictObject({ city: z.string().max(20).nullable(), country: z.string().max(20) }),
};

const rule = ownedBy("user_id");

/** A resource whose rows belong to users: they are below their owner, who reads and writes them. */
export const ofUsers = {
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: rule, update: rule, delete: rule },
} as const satisfies Partial<Resource>;
