import { removeField, renameEndpoint, renameField, type VersionDefinition } from "@postern/rest";
import { z } from "zod";

/**
 * What v3 of this application changed. v1 and v2 stay as they were: nothing else in the application
 * knows about the versions.
 */
export const v3: VersionDefinition = {
  id: "v3",
  released: "2027-03-01",
  changes: [
    {
      id: "memos-are-notes",
      kind: "renamed",
      title: "Memos are called notes",
      why: "Everybody calls them notes.",
      migration: "Use `/notes` where you used `/memos`; ids stay what they are.",
      effects: [
        renameEndpoint({ from: "/users/{id}/memos", to: "/users/{id}/notes" }),
        renameEndpoint({ from: "/memos/{id}", to: "/notes/{id}" }),
      ],
    },
    {
      id: "notes-have-text",
      kind: "renamed",
      title: "What a note says is its text",
      why: "`memo` was the name of the whole.",
      migration: "Read and write `text` where you used `memo`, and `colour` where you used `color`.",
      effects: [
        renameField({ resource: "note", from: "memo", to: "text" }),
        renameField({ resource: "note", from: "color", to: "colour" }),
      ],
    },
    {
      id: "notes-have-no-priority",
      kind: "removed",
      title: "Notes have no priority any more",
      why: "Nobody ever set another one than normal.",
      migration: "Stop sending and reading `priority`.",
      effects: [
        removeField({
          resource: "note",
          field: "priority",
          schema: z.enum(["low", "normal", "high"]),
          value: "normal",
        }),
      ],
    },
  ],
};
