import { choice, defineResource, integer, nobody, nullable, prose, reference, text, timestamp } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;

/** The state of an export. */
export const exportStates = ["pending", "ready", "failed"] as const;

/** An archive of a user's data, which the user asked for. */
export const userExport = defineResource({
  name: "user_export",
  plural: "user-exports",
  description: "An archive of a user's data.",
  fields: {
    user_id: reference("user", { ...hidden, onDelete: "cascade", description: "Whose data it holds." }),
    state: choice(exportStates, { ...hidden, description: "Where it stands." }),
    reason: nullable(text(255, { ...hidden, description: "Why it failed, and what to do." })),
    bytes: nullable(integer({ ...hidden, description: "How long the archive is." })),
    expires_at: timestamp({ ...hidden, description: "When it is deleted." }),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});

/** The longest sealed piece of an archive, in characters. */
const longestPiece = 256 * 1024;

/** One piece of an archive. The pieces in the order of their places are the archive. */
export const userExportPiece = defineResource({
  name: "user_export_piece",
  plural: "user-export-pieces",
  description: "A piece of an archive of a user's data.",
  fields: {
    user_id: reference("user", { ...hidden, onDelete: "cascade", description: "Whose data it holds." }),
    export_id: reference("user_export", { ...hidden, onDelete: "cascade", description: "The archive." }),
    place: integer({ ...hidden, description: "1, 2, 3 and so on." }),
    sealed: { ...prose(longestPiece, { description: "The sealed text." }), ...hidden },
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
