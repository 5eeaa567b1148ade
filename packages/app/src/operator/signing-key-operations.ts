import { timestampOf } from "@postern/core/internal";
import type { StoredSigningKey } from "@postern/core/ports";
import { listOf, type Operation, presentPage } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import type { Settings } from "../settings.ts";
import { rotateSigningKeys, type SigningKeyPorts } from "../tokens/signing-keys.ts";
import { signingKey } from "./wire/signing-key.ts";
import { momentOf } from "./wire/times.ts";

const mostKeys = 100;
const longestOverlapSeconds = 30 * 24 * 3600;

const present = ({ kid, state, createdAt, activeFrom, endsAt }: StoredSigningKey): z.infer<typeof signingKey> => ({
  kid,
  state,
  created_at: timestampOf(createdAt),
  active_from: momentOf(activeFrom),
  ends_at: momentOf(endsAt),
});

/** The dependencies of these operations. */
interface SigningKeyParts {
  readonly ports: SigningKeyPorts;
  readonly settings: Pick<Settings, "signingKeyOverlapSeconds">;
}

/** The keys of access tokens, without their secret parts. */
export const signingKeyOperations = ({ ports, settings }: SigningKeyParts): readonly Operation[] => [
  adminOperation({
    id: "admin.signing-keys.list",
    method: "GET",
    path: "/admin/signing-keys",
    summary: "List the keys that access tokens are signed with",
    list: true,
    success: { status: 200, description: "All of them, oldest first.", body: listOf(signingKey) },
    handle: async () => {
      const data = (await ports.storage.signingKeys.list()).map(present);
      return { status: 200, body: presentPage({ data, limit: mostKeys, next: null, prev: null }) };
    },
  }),
  adminOperation({
    id: "admin.signing-keys.rotate",
    method: "POST",
    path: "/admin/signing-keys/rotate",
    summary: "Let the next key sign access tokens",
    confirm:
      "Let the next key sign? Access tokens of earlier keys are refused when the overlap ends; without one, all that are in use now.",
    body: z.strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(longestOverlapSeconds)
        .optional()
        .meta({
          description:
            "How long tokens of the old key stay valid. Default: an hour. 0 refuses all earlier tokens at once, also those of keys that retired before.",
          examples: [3600],
        }),
    }),
    bodyOptional: true,
    success: { status: 200, description: "The key that signs now.", body: signingKey },
    handle: async (call) => {
      const { overlap_seconds = settings.signingKeyOverlapSeconds } = call.body;
      const rotate = await rotateSigningKeys(ports, overlap_seconds * 1000);
      return call.write({ resource: "signing_key" }, async ({ signingKeys }) => ({
        status: 200,
        body: present(await rotate(signingKeys)),
      }));
    },
  }),
];
