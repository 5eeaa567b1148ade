/** A module that a server under siege gets in place of its own. */
interface Replacement {
  /** How the path of its own module ends. */
  readonly file: string;
  /** The module in this folder that it gets. */
  readonly by: string;
  /** Only modules whose path has this in it get it. Default: all. */
  readonly from?: string;
}

/** What decides whether or when a request runs, and can be taken out of a server under siege. */
export interface Mechanism {
  readonly name: string;
  /** What it does, for the table. */
  readonly does: string;
  /** The attacks that it is there for. */
  readonly attacks: readonly string[];
  readonly replacements?: readonly Replacement[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A line that one file makes has room for everybody. */
const lineOf = (from: string): readonly Replacement[] => [{ file: "/core/src/internal.ts", by: "./line.ts", from }];

export const mechanisms: readonly Mechanism[] = [
  {
    name: "turns",
    does: "who begins in this turn of the event loop",
    attacks: ["flood", "health-checks", "deep-pipeline"],
    replacements: [{ file: "/admission/turns.ts", by: "./turns.ts" }],
  },
  {
    name: "fairness",
    does: "networks and users take turns in every queue",
    attacks: ["flood", "sign-in-storm", "many-large-pages"],
    replacements: [{ file: "/core/src/fair-queue.ts", by: "./fair-queue.ts" }],
  },
  {
    name: "long work",
    does: "one long answer or webhook at a time, then a rest",
    attacks: ["compressed-lists", "signed-giants"],
    replacements: [{ file: "/core/src/long-work.ts", by: "./long-work.ts" }],
  },
  {
    name: "requests of a user",
    does: "requests of one user at once",
    attacks: ["costly-lists", "large-account"],
    replacements: lineOf("/limits/requests-at-once.ts"),
  },
  {
    name: "memory of bodies",
    does: "bytes of bodies at once",
    attacks: ["half-sent-webhooks", "held-back-bodies", "signed-giants"],
    replacements: [{ file: "/admission/memory.ts", by: "./bodies.ts" }],
  },
  {
    name: "memory of answers",
    does: "bytes of rows that answers are made of",
    attacks: ["many-large-pages", "one-huge-answer"],
    replacements: lineOf("/limits/answer-memory.ts"),
  },
  {
    name: "unread answers",
    does: "bytes of answers that wait for their readers",
    attacks: ["unread-answers", "slow-readers"],
    replacements: [{ file: "/admission/memory.ts", by: "./unread.ts" }],
  },
  {
    name: "password hashes",
    does: "passwords that are hashed at once",
    attacks: ["sign-in-storm", "sign-ins"],
    replacements: lineOf("/argon-password-hasher.ts"),
  },
  {
    name: "connections",
    does: "connections of an address and in all; idle ones give way",
    attacks: ["idle-connections", "slow-heads"],
    replacements: [{ file: "/bound-connections.ts", by: "./bound-connections.ts" }],
  },
  {
    name: "waste",
    does: "an address that wastes connections gets no new one",
    attacks: ["resets", "small-chunks", "deep-pipeline", "stalled-handshakes", "cancelled-requests"],
    replacements: [{ file: "/admission/rate.ts", by: "./waste.ts" }],
  },
  {
    name: "small chunks",
    does: "a body may have few small chunks",
    attacks: ["small-chunks"],
    replacements: [{ file: "/bound-connections.ts", by: "./small-chunks.ts" }],
  },
  {
    name: "overload",
    does: "refuses while the event loop is late",
    attacks: ["flood", "sign-in-storm"],
    environment: { POSTERN_MAX_EVENT_LOOP_DELAY: "0" },
  },
  {
    name: "rate limits",
    does: "requests of a user or an address in a minute",
    attacks: ["flood", "unknown-keys"],
    environment: { POSTERN_RATE_LIMIT: "off" },
  },
];
