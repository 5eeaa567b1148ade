import { createHash } from "node:crypto";

/** What one loop takes on the machine for which the bounds were set, without other work, in milliseconds. */
const referenceMs = 12;
const loops = 9;

/** Work of the kinds that a server does: it parses, writes and hashes. */
const loop = (): number => {
  const began = performance.now();
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, title: `post ${n}`, tags: ["one", "two"] }));
  const text = JSON.stringify(rows);
  for (let n = 0; n < 6; n += 1)
    createHash("sha256")
      .update(JSON.stringify(JSON.parse(text)))
      .digest();
  return performance.now() - began;
};

/**
 * How many times longer this machine takes now than the one for which the bounds were set; at
 * least 1. Other work and a slow processor count alike.
 */
export const slowness = (): number => {
  const [middle = referenceMs] = Array.from({ length: loops }, loop)
    .toSorted((a, b) => a - b)
    .slice(Math.floor(loops / 2));
  return Math.max(1, middle / referenceMs);
};
