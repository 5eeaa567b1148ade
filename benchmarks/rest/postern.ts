/**
 * Fills Postern's database and prints the callers' tokens. With `callers` it makes one caller
 * without posts.
 */

import { builtInResources } from "@postern/app";
import type { Row } from "@postern/core";
import { compose, readConfig } from "../../apps/server/src/index.ts";
import { createAccessTokens, ownClientId } from "../../packages/app/src/tokens/access-tokens.ts";
import { createSigningKeys } from "../../packages/app/src/tokens/signing-keys.ts";
// This is plain JavaScript, so that the rivals can use it, too.
import { callers, moment, postId, postsOf, sessionId, text, title, userId, users } from "./data.mjs";

const times = { created_at: moment, updated_at: moment };
const resource = (name: string) => {
  const found = builtInResources.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
};
const [user, session, post] = [resource("user"), resource("session"), resource("post")];

/** A row with the given fields. All others are empty or have their defaults. */
const filled = (of: typeof user, given: Row): Row => ({
  ...Object.fromEntries(Object.entries(of.fields).map(([name, field]) => [name, field.default ?? null])),
  ...times,
  ...given,
});

const seed = async (): Promise<void> => {
  const { storage, ports, migrate, close } = await compose(readConfig(process.env, false), {});
  await migrate();
  const alone = process.argv[2] === "callers";
  const step = 250;
  for (let from = 0; from < (alone ? 1 : users); from += step) {
    await storage.transaction(async ({ resources }) => {
      for (let n = from; n < from + (alone ? 1 : step); n += 1) {
        await resources.insert(
          user,
          filled(user, { id: userId(n), name: `User ${n}`, email: `user${n}@example.com`, password: "-" }),
        );
        for (let p = 0; p < (alone ? 0 : postsOf(n)); p += 1) {
          await resources.insert(
            post,
            filled(post, { id: postId(n, p), user_id: userId(n), title: title(n, p), body: text }),
          );
        }
      }
    });
  }
  const keys = createSigningKeys({ ...ports, storage });
  const access = createAccessTokens(ports, keys, {}, 24 * 3600);
  const tokens: string[] = [];
  const now = ports.clock.now();
  for (let n = 0; n < (alone ? 1 : callers); n += 1) {
    const expires_at = new Date(now + 24 * 3600_000).toISOString();
    await storage.resources.insert(
      session,
      filled(session, { id: sessionId(n), user_id: userId(n), refresh_digest: "-", last_used_at: moment, expires_at }),
    );
    tokens.push(await access.issue({ subject: userId(n), clientId: ownClientId, sessionId: sessionId(n) }));
  }
  await close();
  process.stdout.write(JSON.stringify(tokens));
};

await seed();
