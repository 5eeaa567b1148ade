import { digest, nullable, prose, timestamp } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;

/** What sessions and grants know of the last exchange of their refresh token. */
export const successorFields = {
  previous_digest: nullable(digest({ description: "Digest of the refresh token that was exchanged last." })),
  successor: nullable({ ...prose(1_000, { description: "The refresh token that it was exchanged for." }), ...hidden }),
  successor_until: nullable({ ...timestamp({ description: "Until when it is given again." }), ...hidden }),
} as const;
