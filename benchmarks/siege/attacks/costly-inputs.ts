import type { Account, Attack } from "../attack.ts";
import { type Sent, send } from "../send.ts";

type Input = Omit<Sent, "port" | "from">;

/** How much of the main thread one request may take. */
const mostMs = 50;
const tries = 3;
/** What seems to cost more is tried so often again: on a busy machine, one try may count other work. */
const moreTries = 10;

const repeated = (length: number, piece: (n: number) => string, between = ","): string => {
  const pieces: string[] = [];
  for (let n = 0, size = 0; size < length; n += 1) {
    const next = piece(n);
    pieces.push(next);
    size += next.length + between.length;
  }
  return pieces.join(between).slice(0, length);
};

const aMegabyte = 1_000_000;
const aHead = 14_000;
const aTarget = 7_500;

/** The inputs of one request that cost the most to check. */
const inputsOf = ({ id, authorization }: Account): Readonly<Record<string, Input>> => {
  const posts = `/api/v2/users/${id}/posts`;
  const own = { authorization };
  const write = (body: string, path = posts): Input => ({ method: "POST", path, headers: own, body });
  const read = (query: string, headers: Readonly<Record<string, string>> = {}): Input => ({
    method: "GET",
    path: `${posts}?${query}`.slice(0, aTarget),
    headers: { ...own, ...headers },
  });
  const stranger = (body: unknown): Input => ({ method: "POST", path: "/api/v2/users", body: JSON.stringify(body) });
  const person = { name: "A", email: "costly@example.com", password: "correct horse battery" };
  return {
    "a title of 1 MB": write(JSON.stringify({ title: "x".repeat(aMegabyte), body: "y" })),
    "a title of marks that combine": write(JSON.stringify({ title: `a${"\u0315\u0300".repeat(150_000)}`, body: "y" })),
    "a body of escapes": write(`{"title":"t","body":"${"\\u00e9".repeat(160_000)}"}`),
    "a body of blanks": write(`{"title":"t","body":"y"${" ".repeat(aMegabyte)}}`),
    "9,999 unknown members": write(
      JSON.stringify(Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [`unknown_${n}`, n]))),
    ),
    "an unknown member with a long name": write(JSON.stringify({ ["x".repeat(aMegabyte)]: 1 })),
    "9,990 preferences": {
      method: "PATCH",
      path: `/api/v2/users/${id}`,
      headers: { ...own, "if-match": "*", "content-type": "application/merge-patch+json" },
      body: JSON.stringify({
        preferences: Object.fromEntries(Array.from({ length: 9_990 }, (_, n) => [`p${n}`, "x".repeat(80)])),
      }),
    },
    "a number of 1 MB": write(`{"title":${"9".repeat(aMegabyte)},"body":"y"}`),
    "an address of 1 MB": stranger({ ...person, email: `${"a.".repeat(400_000)}@example.com` }),
    "an address of dots": stranger({ ...person, email: `a@${"a.".repeat(120)}` }),
    "a password of 1 MB": stranger({ ...person, password: "a\u0301".repeat(300_000) }),
    "a phone number of 1 MB": stranger({ ...person, phone: `+${"1-".repeat(400_000)}` }),
    "a name of blanks": stranger({ ...person, name: `${" ".repeat(aMegabyte)}a` }),
    "fields without end": read(`fields=${repeated(aTarget, (n) => `f${n}`)}`),
    "the same field again and again": read(`fields=${repeated(aTarget, () => "id")}`),
    "includes without end": read(`include=${repeated(aTarget, () => "author.posts")}`),
    "an include that is deep": read(`include=${repeated(aTarget, () => "author.posts", ".")}`),
    "filters without end": read(repeated(aTarget, (n) => `filter[title]=${n}`, "&")),
    "a filter of 1,000 values": read(`filter[status][in]=${repeated(aTarget, (n) => `v${n}`)}`),
    "a sort without end": read(`sort=${repeated(aTarget, () => "-title")}`),
    "a cursor of 7 kB": read(`cursor=${"A".repeat(aTarget)}`),
    "a target of escapes": read(`title=${"%C3%A9".repeat(aTarget / 6)}`),
    "a path of slashes": { method: "GET", path: "/api/v2/".concat("a/".repeat(3_500)), headers: own },
    "entity tags of 14 kB": read("limit=1", { "if-none-match": repeated(aHead, (n) => `"${n}"`) }),
    "an entity tag without an end": read("limit=1", { "if-none-match": `"${", ".repeat(aHead / 2)}` }),
    "media types of 14 kB": read("limit=1", { accept: repeated(aHead, (n) => `a/b${n};q=0.${n % 10}`) }),
    "codings of 14 kB": read("limit=1", { "accept-encoding": repeated(aHead, (n) => `c${n};q=0.${n % 10}`) }),
    "languages of 14 kB": read("limit=1", { "accept-language": repeated(aHead, (n) => `l-${n};q=0.${n % 10}`) }),
    "a blank Accept of 14 kB": read("limit=1", { accept: `a${" ".repeat(aHead)}b` }),
    "a token of 14 kB": {
      method: "GET",
      path: "/api/v2/users/me",
      headers: { authorization: `Bearer ${"a.".repeat(7_000)}` },
    },
    "forwarded 3,000 times": read("limit=1", {
      forwarded: repeated(aHead, () => "for=1"),
      "x-forwarded-for": repeated(1_000, () => "1"),
    }),
    "a trace of 14 kB": read("limit=1", {
      traceparent: "0".repeat(6_000),
      tracestate: repeated(6_000, (n) => `a${n}=1`),
    }),
    "a range of 14 kB": read("limit=1", { range: `bytes=${repeated(aHead, (n) => `${n}-${n}`)}` }),
  };
};

/** The inputs that cost the most to check. None may delay other callers. */
export const costlyInputs: Attack = {
  name: "costly-inputs",
  does: "sends the largest and the oddest of everything that a request can hold, one after the other",
  requirement: "R15, section 5.6",
  seconds: 10,
  accounts: 1,
  run: async ({ port, accounts, inspect, isOver }) => {
    const [account] = accounts;
    if (account === undefined) throw new Error("this attack needs an account");
    const least = new Map<string, number>();
    const faults: string[] = [];
    const attempt = async (name: string, input: Input): Promise<void> => {
      const before = (await inspect()).mainThreadMs;
      const { status } = await send({ port, from: account.address, ...input });
      const ms = (await inspect()).mainThreadMs - before;
      least.set(name, Math.min(ms, least.get(name) ?? ms));
      if (status >= 500) faults.push(`${name} was answered ${status}`);
    };
    // The least of several tries, because the main thread answers the healthy client, too.
    for (let turn = 0; turn < tries; turn += 1) {
      for (const [name, input] of Object.entries(inputsOf(account))) {
        if (!isOver()) await attempt(name, input);
      }
    }
    for (let turn = 0; turn < moreTries; turn += 1) {
      for (const [name, input] of Object.entries(inputsOf(account))) {
        if ((least.get(name) ?? 0) > mostMs) await attempt(name, input);
      }
    }
    const byCost = [...least].toSorted(([, a], [, b]) => b - a);
    for (const [name, ms] of byCost) if (ms > mostMs) faults.push(`${name} takes ${Math.round(ms)} ms`);
    return {
      saw: `${byCost
        .slice(0, 3)
        .map(([name, ms]) => `${name}: ${ms.toFixed(1)} ms`)
        .join(", ")} of the main thread`,
      fault: faults.length === 0 ? undefined : [...new Set(faults)].join(", "),
    };
  },
};
