/**
 * The data that every contender serves: 10,000 users. 64 of them send requests and have 40 posts
 * each; the others have 4.
 */
export const users = 10_000;
export const callers = 64;
export const postsOf = (user) => (user < callers ? 40 : 4);

const idOf = (kind, number) => `01900000-0000-7000-8000-${kind}${number.toString(16).padStart(11, "0")}`;
export const userId = (user) => idOf("1", user);
export const postId = (user, post) => idOf("2", user * 100 + post);
export const sessionId = (user) => idOf("3", user);

export const moment = "2026-01-02T03:04:05.678Z";
export const title = (user, post) => `Post ${post} of user ${user}`;
export const text = "Some words that fill a post of the usual length. ".repeat(10);

/** The key with which a rival signs its tokens. */
export const secret = "a secret of thirty-two characters";

/** The requests, as a function of the caller. `base` is the path where a contender's API begins. */
export const requests = {
  read: (base, user, turn) => ({ method: "GET", path: `${base}/posts/${postId(user, turn % 40)}` }),
  list: (base, user) => ({
    method: "GET",
    path: `${base}/users/${userId(user)}/posts?limit=25&fields=id,title,created_at`,
  }),
  create: (base, user, turn) => ({
    method: "POST",
    path: `${base}/users/${userId(user)}/posts`,
    body: JSON.stringify({ title: `New ${turn}`, body: text }),
  }),
};
