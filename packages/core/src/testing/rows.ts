import type { Row } from "../ports/resource-repository.ts";

const base = "2026-01-02T03:04:05.678Z";

/** The n-th id in creation order. */
export const idNumber = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** A user that differs from all users made with another `n`. */
export const userRow = (n: number, changes: Row = {}): Row => ({
  id: idNumber(n),
  name: `User ${n}`,
  email: `user${n}@example.com`,
  verified_email: null,
  trusted_email: null,
  second_factor_at: null,
  password: `hash-of-${n}`,
  phone: null,
  address: null,
  preferences: {},
  subscription: { status: "none", since: null },
  role: "user",
  created_at: base,
  updated_at: base,
  ...changes,
});

export const postRow = (n: number, userId: string, changes: Row = {}): Row => ({
  id: idNumber(n),
  user_id: userId,
  title: `Post ${n}`,
  body: `Text of post ${n}`,
  status: "draft",
  published_at: null,
  created_at: base,
  updated_at: base,
  ...changes,
});

export const commentRow = (n: number, postId: string, userId: string, changes: Row = {}): Row => ({
  id: idNumber(n),
  post_id: postId,
  user_id: userId,
  body: `Comment ${n}`,
  created_at: base,
  updated_at: base,
  ...changes,
});
