import type { Resource } from "@postern/core";
import type { Deprecation, VersionDefinition } from "@postern/rest";
import { accountToken } from "./resources/account-token.ts";
import { apiKey } from "./resources/api-key.ts";
import { client } from "./resources/client.ts";
import { comment } from "./resources/comment.ts";
import { grant } from "./resources/grant.ts";
import { outsideIdentity } from "./resources/outside-identity.ts";
import { post } from "./resources/post.ts";
import { secondFactor } from "./resources/second-factor.ts";
import { session } from "./resources/session.ts";
import { usedAssertion } from "./resources/used-assertion.ts";
import { checkUser, user } from "./resources/user.ts";
import { userExport, userExportPiece } from "./resources/user-export.ts";
import { builtInDeprecations } from "./versions/built-in-deprecations.ts";

/**
 * The parts that you can leave out. `users`: accounts, sign-up and sign-in. `posts`: posts and
 * comments; needs `users`. `inbox`: webhooks, and the operations that look after them.
 */
export type Part = "users" | "posts" | "inbox";

/** All parts. */
export const allParts: readonly Part[] = ["users", "posts", "inbox"];

const resourcesOf: Readonly<Record<Part, readonly Resource[]>> = {
  users: [
    user,
    session,
    apiKey,
    accountToken,
    secondFactor,
    client,
    grant,
    outsideIdentity,
    usedAssertion,
    userExport,
    userExportPiece,
  ],
  posts: [post, comment],
  inbox: [],
};

/**
 * The resources of some parts, with your `user` if you have one. A storage needs them in addition to your
 * own.
 * @throws DeclarationError for a user that `userWith` has not made.
 */
export const resourcesOfParts = (parts: readonly Part[], own: Resource = user): readonly Resource[] => {
  checkUser(own);
  return allParts
    .filter((part) => parts.includes(part))
    .flatMap((part) => resourcesOf[part])
    .map((one) => (one === user ? own : one));
};

/** The resources of all parts. */
export const builtInResources: readonly Resource[] = resourcesOfParts(allParts);

/** Whether a version still shows a member that later versions do not have under this name. */
const isShownOlder = (versions: readonly VersionDefinition[], resource: string, field: string): boolean =>
  versions.some(({ changes }) =>
    changes.some(({ effects }) =>
      effects.some((effect) => effect.on === "member" && effect.resource === resource && effect.older === field),
    ),
  );

/** The built-in deprecations of members that a version shows, of resources that are in `resources`. */
export const deprecationsFor = (
  resources: ReadonlySet<string>,
  versions: readonly VersionDefinition[],
): readonly Deprecation[] =>
  builtInDeprecations.filter(
    ({ target }) =>
      "resource" in target &&
      versions.some(({ id }) => id === target.version) &&
      resources.has(target.resource) &&
      isShownOlder(versions, target.resource, target.field),
  );

/** @throws TypeError for a part that does not exist, or for posts without users. */
export const checkParts = (parts: readonly Part[]): void => {
  for (const part of parts) {
    if (allParts.includes(part)) continue;
    throw new TypeError(`parts: there is no part "${String(part)}"; there are ${allParts.join(", ")}`);
  }
  if (parts.includes("posts") && !parts.includes("users")) {
    throw new TypeError('parts: "posts" needs "users", who write them');
  }
};
