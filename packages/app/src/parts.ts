import type { Resource } from "@postern/core";
import type { Deprecation, VersionDefinition } from "@postern/rest";
import { comment } from "./resources/comment.ts";
import { post } from "./resources/post.ts";
import { session } from "./resources/session.ts";
import { user } from "./resources/user.ts";
import { builtInDeprecations } from "./versions/built-in-deprecations.ts";
import { builtInVersions } from "./versions/built-in-versions.ts";

/**
 * What an application can leave out. `users`: accounts, sign-up and sign-in. `posts`: posts and comments,
 * which need users. `inbox`: webhooks, and the operations that look after them.
 */
export type Part = "users" | "posts" | "inbox";

/** Everything. */
export const allParts: readonly Part[] = ["users", "posts", "inbox"];

const resourcesOf: Readonly<Record<Part, readonly Resource[]>> = {
  users: [user, session],
  posts: [post, comment],
  inbox: [],
};

/** The resources that come with some parts. A storage needs them beside the application's own. */
export const resourcesOfParts = (parts: readonly Part[]): readonly Resource[] =>
  allParts.filter((part) => parts.includes(part)).flatMap((part) => resourcesOf[part]);

/** The resources that come with all parts. */
export const builtInResources: readonly Resource[] = resourcesOfParts(allParts);

/** The built-in versions without the changes of resources that `resources` does not hold. */
export const versionsFor = (resources: ReadonlySet<string>): readonly VersionDefinition[] =>
  builtInVersions.map((version) => ({
    ...version,
    changes: version.changes.flatMap((change) => {
      const effects = change.effects.filter((effect) => effect.on !== "member" || resources.has(effect.resource));
      return effects.length === 0 ? [] : [{ ...change, effects }];
    }),
  }));

/** The built-in deprecations without those of resources that `resources` does not hold. */
export const deprecationsFor = (resources: ReadonlySet<string>): readonly Deprecation[] =>
  builtInDeprecations.filter(({ target }) => !("resource" in target) || resources.has(target.resource));

/**
 * @throws TypeError for a part that does not exist, or posts without users.
 */
export const checkParts = (parts: readonly Part[]): void => {
  for (const part of parts) {
    if (allParts.includes(part)) continue;
    throw new TypeError(`parts: there is no part "${String(part)}"; there are ${allParts.join(", ")}`);
  }
  if (parts.includes("posts") && !parts.includes("users")) {
    throw new TypeError('parts: "posts" needs "users", who write them');
  }
};
