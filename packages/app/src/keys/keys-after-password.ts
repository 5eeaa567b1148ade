import { allRows, type Condition, equals, type ResourceRepository, type Storage } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { z } from "zod";
import { apiKey } from "../resources/api-key.ts";

const system = allRows("API keys");
/** A notice names no larger number. */
const countedAtMost = 1_000;

/** The member of a body that sets a password: whether the API keys end with the old one. */
export const revokeApiKeys = z.boolean().default(false).meta({
  description: "True ends all API keys of the user, too. Otherwise they stay valid: programs go on with them.",
});

const liveKeysOf = (userId: string, now: number): Condition => ({
  all: [
    equals("user_id", userId),
    { any: [equals("expires_at", null), { field: "expires_at", op: "gt", value: timestampOf(now) }] },
  ],
});

/**
 * What the notice about a new password says about the API keys: how many stay valid and how to end
 * them, or that they end. Empty if there are none.
 */
export const toldOfKeys = async (
  resources: Pick<Storage["resources"], "count">,
  { userId, revoked, now }: { readonly userId: string; readonly revoked: boolean; readonly now: number },
): Promise<string> => {
  const count = await resources.count(apiKey, { scope: system, where: liveKeysOf(userId, now) }, countedAtMost);
  if (count === 0) return "";
  const number = count === 1 ? "1 API key" : `${count === countedAtMost ? "At least " : ""}${count} API keys`;
  if (revoked) return `${number} of your account ended with it.`;
  return `${number} of your account ${count === 1 ? "stays" : "stay"} valid. To end them, ask for a new password once more and choose to end all API keys.`;
};

/**
 * Ends all API keys of a user at once. The user's row must be locked, so that no key is made at the
 * same time.
 */
export const endKeys = async (resources: ResourceRepository, userId: string): Promise<void> => {
  await resources.deleteWhere(apiKey, system, equals("user_id", userId));
};
