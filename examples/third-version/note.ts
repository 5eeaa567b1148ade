import { choice, defineResource, ownedBy, prose, reference } from "@postern/core";

/** A note in the newest version, which is the only form that the application itself knows. */
export const note = defineResource({
  name: "note",
  plural: "notes",
  description: "Something to remember.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "author", description: "Whose it is." }),
    text: prose(10_000, { example: "Oil the mill.", description: "What to remember." }),
    colour: choice(["plain", "yellow"], { default: "plain", filter: "everyone", description: "How it is shown." }),
  },
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
