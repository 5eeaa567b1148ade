/**
 * An installation as a day has left it, for pictures and tests of the console: ten senders, handlers that
 * fail for reasons of their own, a day of traffic under a virtual clock, and plans.
 *   node --conditions=@postern/source --import tsx scripts/console-scene.ts [port]
 * serves it until Ctrl-C, and prints how to sign in.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { builtInDeprecations, builtInVersions } from "@postern/app";
import {
  boolean,
  decimal,
  defineResource,
  integer,
  nullable,
  ownedBy,
  prose,
  reference,
  text,
  words,
} from "@postern/core";
import { on } from "@postern/inbox";
import { type HandlerContext, schedule } from "@postern/jobs";
import { invoice } from "../examples/invoices/invoice.ts";
import type { Postern } from "../packages/postern/src/index.ts";
import { type DeliverOptions, type TestClient, type TestPostern, testPostern } from "../packages/testing/src/index.ts";

const hour = 3_600_000;
const password = "correct horse battery";
export const people = {
  admin: { name: "Grace Hopper", email: "grace@example.com", password },
  operator: { name: "Ada Lovelace", email: "ada@example.com", password },
  viewer: { name: "Alan Turing", email: "alan@example.com", password },
} as const;

/** The same numbers in each run. */
const seeded = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

interface Traffic {
  readonly provider: string;
  readonly types: readonly string[];
  /** Events in a day. */
  readonly aDay: number;
}

const traffic: readonly Traffic[] = [
  { provider: "stripe", types: ["invoice.paid", "charge.succeeded", "customer.updated", "payout.paid"], aDay: 260 },
  { provider: "github", types: ["push", "pull_request", "issues", "workflow_run"], aDay: 190 },
  { provider: "shopify", types: ["orders/create", "orders/paid", "products/update"], aDay: 170 },
  { provider: "slack", types: ["event_callback"], aDay: 60 },
  { provider: "resend", types: ["email.delivered", "email.bounced"], aDay: 50 },
  { provider: "linear", types: ["Issue", "Comment"], aDay: 45 },
  { provider: "paddle", types: ["transaction.completed", "subscription.updated"], aDay: 40 },
  { provider: "clerk", types: ["user.created", "session.ended"], aDay: 35 },
  { provider: "intercom", types: ["conversation.user.created", "contact.updated"], aDay: 25 },
  { provider: "sendgrid", types: ["delivered", "bounce"], aDay: 25 },
];

interface Run {
  /** Takes a while, by the clock of the scene. */
  takesTime(): Promise<void>;
  /** Does what may fail, while things may fail. */
  fails(work: () => void): void;
}

/** What handlers do: most work; some fail as they do in life. */
const handlersIn = (now: () => number, startedAt: number, random: () => number, { takesTime, fails }: Run) => {
  const at = (): number => (now() - startedAt) / hour;
  /** Few tries, so that what fails is dead within the day. */
  const retry = { delaysMs: [5_000, 60_000, 600_000] };
  const failing =
    (why: (data: Record<string, unknown>) => Error | undefined) =>
    async (event: { data: unknown }, { attempt, log }: Pick<HandlerContext, "attempt" | "log">) => {
      if (attempt === 1) await takesTime();
      log("info", "asking the other side", { attempt });
      fails(() => {
        const error = why(Object(event.data));
        if (error !== undefined) throw error;
      });
    };
  // The mail server is away for two hours of the morning.
  const mail = failing(() => (at() > 9 && at() < 11 ? new Error("the mail server answered 451 4.3.2") : undefined));
  const greet = failing(({ customer }) =>
    customer === null ? new TypeError("Cannot read properties of null (reading 'email')") : undefined,
  );
  const deploy = failing(() =>
    random() < 0.5 && at() > 14 ? new Error("deployer.internal: connect ECONNREFUSED 10.0.4.17:8443") : undefined,
  );
  const book = failing(({ currency }) =>
    currency === "XAU" ? new RangeError("currency XAU is not one we sell in") : undefined,
  );
  const tell = failing(() => (at() > 20 ? new Error("429 Too Many Requests from crm.example.com") : undefined));
  return [
    on("stripe", "invoice.*", mail, { retry }),
    on("stripe", "*", greet, { retry, orderKey: ({ data }) => String(Object(data).customer ?? "none") }),
    on("github", "*", deploy, { retry }),
    on("shopify", "orders/*", book, { retry }),
    on("linear", "*", takesTime),
    on("clerk", "*", tell, { retry }),
  ];
};

/** Work at set times. */
const schedules = [
  schedule("invoices.remind", "*/30 8-17 * * 1-5", async () => undefined, { timeZone: "Europe/Berlin" }),
  schedule("report", "0 3 * * *", async () => undefined, { timeZone: "Europe/Berlin", queue: "reports" }),
  schedule("books.close", "0 18 L * *", async () => undefined),
];

/** What now and then is wrong with a delivery: of shopify for an hour, where a proxy changed bodies. */
const faultOf = (provider: string, hours: number, now: number, random: () => number): DeliverOptions => {
  const isChanged = provider === "shopify" && hours > 15 && hours < 16;
  if (random() >= (isChanged ? 0.5 : 0.02)) return {};
  if (isChanged || random() < 0.4) return { tamper: true };
  if (random() < 0.5) return { signedAt: now - hour };
  return { tamper: (signed) => ({ ...signed, headers: {} }) };
};

const bodyOf = (provider: string, type: string, at: number, random: () => number) => {
  const number = Math.floor(random() * 1e6);
  return {
    type,
    ...(provider === "linear" ? { webhookTimestamp: Math.floor(at) } : {}),
    data: {
      object: "invoice",
      number: `INV-${number}`,
      customer: random() < 0.04 ? null : `cus_${number.toString(36)}`,
      amount: Math.floor(random() * 20_000) / 100,
      currency: random() < 0.02 ? "XAU" : "EUR",
      provider,
      created: Math.floor(at / 1000),
      lines: [{ sku: `SKU-${number % 97}`, quantity: 1 + (number % 4) }],
    },
  };
};

/** What a shop sells: a resource of the application, beside the invoices of the example. */
const product = defineResource({
  name: "product",
  plural: "products",
  description: "What the shop sells.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "seller", description: "The user who sells it." }),
    name: text(80, { filter: "everyone", sort: "everyone", description: "Its name." }),
    price: decimal({ digits: 8, decimals: 2, min: 0, filter: "everyone", description: "The price in euros." }),
    stock: integer({ min: 0, default: 0, description: "How many there are in the warehouse." }),
    is_sold: boolean({ default: true, filter: "everyone", description: "Whether it is for sale." }),
    labels: words(10, 30, { default: [], description: "Words to find it by." }),
    about: nullable(prose(2_000, { description: "What customers read about it." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

const products = ["Desk lamp", "Oak shelf", "Wool blanket", "Teapot", "Garden chair", "Wall clock", "Bread knife"];

/** The rows of the declared resources. */
const makeRows = async (seller: TestClient): Promise<void> => {
  for (const [at, name] of products.entries()) {
    const row = { name, price: 19.5 + at * 7, stock: (at * 13) % 40, is_sold: at !== 4, labels: ["home"] };
    await seller.post("/products", { ...row, about: `${name}, made to last.` });
  }
  for (let at = 1; at <= 24; at += 1) {
    const number = `2026-${String(at).padStart(4, "0")}`;
    const row = { number, amount: 49 + at * 12.5, currency: at % 5 === 0 ? "USD" : "EUR" };
    const { body } = await seller.post("/invoices", { ...row, due_on: `2026-12-${10 + (at % 20)}` });
    if (at % 3 !== 0) await seller.patch(`/invoices/${body.id}`, { state: "sent" });
  }
};

/** What the console must show as text, whatever it holds. */
export const hostilePayload = (): string =>
  `{"id":"evt_hostile","type":"invoice.paid","created":9007199254740993,"amount":12.300,"name":"<script>alert(1)</script>","file":"invoice\u202Efdp.exe","data":{"object":{"id":"in_1","customer":null,"note":"${"x".repeat(1_000_000)}"}}}`;

export interface Scene {
  readonly t: TestPostern;
  readonly postern: Postern;
  /** The event with the hostile payload. */
  readonly hostile: string;
  /** From now on no handler fails. */
  mend(): void;
}

interface SceneOptions {
  /** The day of traffic, as a share of its events. Default 1. */
  readonly share?: number;
  readonly basePath?: string;
  readonly publicUrl?: string;
  /** Where the day is stored. Default: memory. */
  readonly database?: string;
}

/** Makes the day. The clock of the scene stands at the present when it is over. */
export const makeScene = async ({ share = 1, ...more }: SceneOptions = {}): Promise<Scene> => {
  const random = seeded(7);
  const startedAt = Date.now() - 24 * hour;
  let now = (): number => startedAt;
  let isMended = false;
  const fails = (work: () => void): void => {
    if (!isMended) work();
  };
  const ends: (() => void)[] = [];
  let isQuick = false;
  const takesTime = (): Promise<void> => (isQuick ? Promise.resolve() : new Promise((end) => ends.push(end)));
  const handlers = handlersIn(() => now(), startedAt, random, { takesTime, fails });
  const t = await testPostern({
    publicUrl: "https://hooks.staging.example",
    ...more,
    startAt: new Date(startedAt).toISOString(),
    console: "on",
    providers: Object.fromEntries(traffic.map(({ provider }) => [provider, {}])),
    handlers,
    schedules,
    queues: { reports: {} },
    resources: [invoice, product],
    // As a server has them without a configuration: something of the first will be removed.
    versions: builtInVersions,
    deprecations: builtInDeprecations,
    // Everybody signs in from this machine.
    limits: { rates: { "sign-in": { limit: 1_000, windowMs: 60_000 } } },
  });
  now = t.now;
  const deliveries = traffic
    .flatMap(({ provider, types, aDay }) =>
      Array.from({ length: Math.max(1, Math.round(aDay * share)) }, () => {
        // More in the day than in the night, and some of late.
        const part = random() < 0.1 ? 0.96 + random() * 0.04 : (random() + random()) / 2;
        const type = types[Math.floor(random() * types.length)] ?? types[0] ?? "";
        return { provider, type, at: startedAt + part * 23.9 * hour };
      }),
    )
    .toSorted((left, right) => left.at - right.at);
  const typed = new Set(["github", "shopify"]);
  const principal = { kind: "operator", name: "scene" } as const;
  const operate = (operation: string, input: object) => t.postern.app.run({ operation, principal, ...input });
  const queue = { params: { name: "default" } };
  let isPaused = false;
  for (const { provider, type, at } of deliveries) {
    if (at > t.now()) await t.advance(at - t.now());
    const hours = (at - startedAt) / hour;
    // Somebody pauses the queue over noon.
    if (isPaused !== (hours > 12 && hours < 13)) {
      isPaused = !isPaused;
      await (isPaused
        ? operate("admin.queues.pause", { ...queue, body: { note: "the warehouse moves" } })
        : operate("admin.queues.resume", queue));
    }
    const body = bodyOf(provider, type, at, random);
    const sent = typed.has(provider) ? JSON.stringify(body.data) : body;
    const times = random() < 0.03 ? { times: 2 } : {};
    await t.deliver(provider, sent, { type, ...times, ...faultOf(provider, hours, t.now(), random) });
    await t.advance(Math.ceil(3 + random() ** 6 * 900));
    isQuick = true;
    for (const end of ends.splice(0)) end();
    await t.drain();
    isQuick = false;
  }
  isQuick = true;
  const { id: hostile } = await t.deliver("stripe", hostilePayload());
  await t.advance(Math.max(0, Date.now() - t.now()));
  for (const { id } of (await t.events({ state: "dead" })).slice(-1)) {
    const text = "Asked the sender: they look into it, and tell us on Monday.";
    await operate("admin.events.note", { params: { id: String(id) }, body: { text } });
  }
  const note = "The books are audited until Thursday.";
  await operate("admin.schedules.pause", { params: { name: "books.close" }, body: { note } });
  for (const [role, person] of Object.entries(people)) {
    await operate("users.create", { body: { ...person, role } });
  }
  await makeRows(t.as("Mary Shaw"));
  return {
    t,
    postern: t.postern,
    hostile: String(hostile),
    mend: () => {
      isMended = true;
    },
  };
};

/** Serves a scene. Its clock follows the present, so that its jobs run. */
export const serveScene = async ({ t, postern }: Pick<Scene, "t" | "postern">, port = 0) => {
  const server = createServer((request, response) => void postern.listener(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  let moving = Promise.resolve();
  const timer = setInterval(() => {
    moving = moving.then(() => t.advance(Math.max(1, Date.now() - t.now())));
  }, 200);
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`,
    stop: async () => {
      clearInterval(timer);
      await moving;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await t.stop();
    },
  };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serveScene(await makeScene(), Number(process.argv[2] ?? 3960));
  process.stdout.write(`${url}/console/\n`);
  for (const { email } of Object.values(people)) process.stdout.write(`  ${email}   ${password}\n`);
}
