/** The tasks, in the order in which somebody new meets them. CI leaves out those with `isLong`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostLibraries } from "../hosts.mjs";
import { scratchDatabase } from "./database.mjs";
import { partOf } from "./page.mjs";
import { newSecret } from "./stranger.mjs";

const handlers = "docs/handlers.md#mark-my-invoice-paid";

/** `B`, `J`, and `TOKEN` of a new user, for commands that follow in the same shell. */
const signedIn = ({ port }) => {
  const page = partOf("docs/start.md#try-it");
  const lines = [page.command("B="), page.command("curl -s $B/users -H"), page.command("TOKEN=")];
  return lines
    .join("\n")
    .replace(":3000", `:${port}`)
    .replace(/^(curl .*)$/m, "$1 >/dev/null");
};

/** The rows of a command that takes `--json`. */
const listed = async (stranger, command) => JSON.parse(await stranger.run(`${command} --json`)).items;

/** The invoice of the resources' page and the files of the handlers' page. */
const handlerFiles = () => ({
  "invoices/invoice.ts": partOf("docs/resources.md").file("invoices/invoice.ts"),
  ...partOf("docs/handlers.md").files,
});

/** Starts the server of the handlers' page, makes an invoice and marks it sent, as that page does. */
const withSentInvoice = async (stranger, number) => {
  const page = partOf(handlers);
  const server = await stranger.start(page.command("echo POSTERN_CONFIG=handlers/postern.config.ts"));
  const make = page.command("ID=").replace("2026-0043", number);
  const send = page.command("curl -s -X PATCH $B/invoices/$ID");
  const shell = [signedIn(stranger), make, `${send} >/dev/null`].join("\n");
  await stranger.run(shell);
  const look = page.command('curl -s "$B/invoices/$ID?fields=');
  /** The invoice as the API answers it. */
  const invoice = async () => {
    const find = look
      .replace("/invoices/$ID?fields=", `/invoices?filter[number]=${number}&fields=`)
      .replace("curl -s", "curl -sg");
    return JSON.parse(await stranger.run([signedIn(stranger), find].join("\n")))[0];
  };
  return { server, invoice };
};

const addStripe = async (stranger) => {
  await stranger.project(" --senders github");
  const page = partOf("docs/senders/stripe.md#here");
  const secret = newSecret();
  await stranger.start(page.command("WEBHOOK_STRIPE_SECRET=", secret));
  const more = { WEBHOOK_STRIPE_SECRET: secret };
  assert.match(await stranger.run(page.command("postern send stripe"), { more }), /^200 /);
  const event = { id: "evt_1", object: "event", type: "charge.succeeded", data: { object: { id: "ch_1" } } };
  assert.equal((await stranger.stripe(secret, event)).status, 200);
  assert.equal((await stranger.stripe(newSecret(), { ...event, id: "evt_2" })).status, 401);
  assert.match(await stranger.run(page.command("postern events list"), { more }), /charge\.succeeded/);
  const events = await listed(stranger, page.command("postern events list"));
  assert.deepEqual(
    events.map(({ provider }) => provider),
    ["stripe", "stripe"],
  );
  return "a webhook that Stripe's own rules sign is verified, a forged one refused";
};

const markPaid = async (stranger) => {
  await stranger.project();
  stranger.write(handlerFiles());
  const { invoice } = await withSentInvoice(stranger, "2026-0043");
  const page = partOf(handlers);
  assert.match(await stranger.run(page.command("./postern send demo")), /^200 /);
  await stranger.until("the invoice is paid", async () => (await invoice()).state === "paid");
  assert.match((await invoice()).paid_at, /^\d{4}-\d\d-\d\dT/);
  const jobs = await listed(stranger, page.command("./postern jobs list"));
  assert.equal(jobs.find(({ handler }) => handler === "demo:invoice.paid").state, "done");
  return "the invoice is paid, with the time";
};

/** Applies what a block shows as `-` and `+` to a file. */
const edited = (code, change) => {
  const side = (mark) =>
    change
      .split("\n")
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(1))
      .join("\n");
  assert.ok(code.includes(side("-")), `the page changes what the file does not have: ${side("-")}`);
  return code.replace(side("-"), side("+"));
};

const renameField = async (stranger) => {
  await stranger.project();
  const resources = partOf("docs/resources.md");
  stranger.write(resources.files);
  const before = await stranger.start(resources.command("npm start"));
  const made = await stranger.run([signedIn(stranger), resources.command("curl -s $B/invoices")].join("\n"));
  const { id } = JSON.parse(made);
  await before.stop();

  const page = partOf("docs/versions.md#rename-a-field-in-v3");
  const invoice = edited(resources.file("invoices/invoice.ts"), page.code("diff"));
  stranger.write({ ...page.files, "invoices/invoice.ts": invoice });
  const config = "POSTERN_CONFIG=versions/postern.config.ts";
  assert.match(
    await stranger.run(page.command(`${config} npm run -s postern -- migrate`)),
    /amount is renamed to total/,
  );
  assert.match(
    await stranger.run(page.command(`${config} npm run -s postern -- changelog`)),
    /What an invoice asks for is its total/,
  );
  await stranger.start(page.command(`${config} npm start`));
  const [, head] = /(-H "authorization: [^"]*")/.exec(resources.command("curl -s $B/invoices"));
  const read = async (version) => {
    const request = `curl -s ${stranger.url}/api/${version}/invoices/${id} ${head}`;
    return JSON.parse(await stranger.run([signedIn(stranger), request].join("\n")));
  };
  const [v1, v2, v3] = [await read("v1"), await read("v2"), await read("v3")];
  assert.deepEqual([v1.amount, v2.amount, v3.total], [12.5, 12.5, 12.5]);
  assert.ok(!("total" in v2) && !("amount" in v3));
  return "v3 has the new name, v1 and v2 the old one, for a row that was there before";
};

const quarantined = async (stranger) => {
  await stranger.project();
  stranger.write(handlerFiles());
  const number = "77";
  const { server, invoice } = await withSentInvoice(stranger, number);
  const sent = partOf(handlers).command("./postern send demo").replace('"2026-0043"', number);
  assert.match(await stranger.run(sent), /^200 /);
  const page = partOf("docs/operate.md#an-event-is-quarantined");
  const found = await stranger.run(page.command("postern events list --state quarantined"));
  assert.match(found, /number.*(?:string|text)/i);
  const [{ id }] = await listed(stranger, page.command("postern events list --state quarantined"));
  const show = page.command("postern events show").replace(/\d+$/, id);
  assert.match(await stranger.run(show), /"number": ?77/);

  page.says("If the schema of your handler is wrong, correct it, restart, and run the event again");
  await server.stop();
  const code = partOf("docs/handlers.md").file("handlers/mark-paid.ts");
  stranger.write({ "handlers/mark-paid.ts": code.replace("number: z.string()", "number: z.coerce.string()") });
  await stranger.start("npm start");
  await stranger.run(page.command("postern events replay").replace(/\d+$/, id));
  await stranger.until("the invoice is paid", async () => (await invoice()).state === "paid");
  return "the list names the field; after the schema was corrected, the same event pays the invoice";
};

const jestTest = `
import { testPostern } from "@postern/testing";
import { on } from "postern";

test("a webhook runs its handler once", async () => {
  const paid = [];
  const handler = on("stripe", "invoice.paid", async ({ data }) => void paid.push(data.object.id));
  await using t = await testPostern({ handlers: [handler] });
  await t.deliver("stripe", { id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1" } } }, { times: 2 });
  await t.drain();
  expect(paid).toEqual(["in_1"]);
});
`;

const testHandler = async (stranger) => {
  await stranger.project();
  const page = partOf("docs/testing.md");
  await stranger.run(page.command("npm install"));
  stranger.write({ ...handlerFiles(), ...page.files });
  assert.match(await stranger.run(`${page.command("npx vitest run")} 2>&1`), /Tests +4 passed/);
  const path = join(stranger.folder, "handlers/mark-paid.ts");
  const code = readFileSync(path, "utf8");
  writeFileSync(path, code.replace(/^.*invoices\.move.*$/m, ""));
  assert.match(await stranger.fails(`${page.command("npx vitest run")} 2>&1`), /1 failed/);
  await stranger.run(page.command("npm install --save-dev jest"));
  stranger.write({ "test/by-jest.test.mjs": jestTest });
  const jest = `${page.command("NODE_OPTIONS=--experimental-vm-modules npx jest")} by-jest --testMatch '**/*.test.mjs' 2>&1`;
  assert.match(await stranger.run(jest), /Tests: +1 passed/);
  stranger.write({ "test/by-jest.test.mjs": jestTest.replace("times: 2", "times: 0") });
  assert.match(await stranger.fails(jest), /Tests: +1 failed/);
  return "the tests of the page pass, by jest as well, and one fails when the handler forgets its work";
};

const moveToPostgres = async (stranger) => {
  await stranger.project();
  const server = await stranger.start(partOf("docs/start.md#a-project-of-your-own").command("npm start"));
  const settings = readFileSync(join(stranger.folder, ".env"), "utf8");
  const [, secret] = /^STRIPE_SECRET=(.*)$/m.exec(settings);
  const event = { id: "evt_1", type: "customer.created", data: { object: { id: "cus_1" } } };
  assert.equal((await stranger.stripe(secret, event)).status, 200);
  const user = `${partOf("docs/start.md#try-it").command("curl -s $B/users -H")}`;
  await stranger.run(`B=${stranger.url}/api J='content-type: application/json'\n${user}`);
  await server.stop();

  const page = partOf("docs/scale.md#move-to-another-database");
  const [, from] = /^DATABASE_URL=(.*)$/m.exec(settings);
  const database = await scratchDatabase();
  try {
    const copied = await stranger.run(page.command("postern copy", from, database.url));
    assert.match(copied, /inbox_event\t1\t/);
    page.says("Set `DATABASE_URL` to the target, and start Postern.");
    writeFileSync(join(stranger.folder, ".env"), settings.replace(from, database.url));
    const moved = await stranger.start(partOf("docs/start.md#a-project-of-your-own").command("npm start"));
    assert.deepEqual(await database.rows("select type from inbox_event where event_id = 'evt_1'"), [
      { type: "customer.created" },
    ]);
    assert.equal((await database.rows("select email from users")).length, 1);
    const { body } = await stranger.stripe(secret, event);
    assert.match(JSON.stringify(body), /duplicate/);
    await moved.stop();
  } finally {
    await stranger.leave();
    await database.drop();
  }
  return "the event and the user are rows of PostgreSQL, and a resend is still a repeat";
};

const rotateSecret = async (stranger) => {
  await stranger.project(" --senders github");
  const page = partOf("docs/operate.md#rotate-a-senders-secret");
  const [oldSecret, newOne] = [newSecret(), newSecret()];
  const statuses = async (id, to) => {
    const event = (which) => ({ id: `${id}_${which}`, type: "customer.created", data: { object: {} } });
    const [first, second] = [
      await stranger.stripe(oldSecret, event("old"), to),
      await stranger.stripe(newOne, event("new"), to),
    ];
    return [first.status, second.status];
  };
  const secrets = (command) => command.replace("whsec_new", newOne).replace("whsec_old", oldSecret);
  const before = await stranger.start(`WEBHOOK_STRIPE_SECRET=${oldSecret} npm start`);
  assert.deepEqual(await statuses("before"), [200, 401]);
  await before.stop();
  const both = await stranger.start(secrets(page.command("WEBHOOK_STRIPE_SECRET=whsec_new,whsec_old")));
  assert.deepEqual(await statuses("both"), [200, 200]);
  await both.stop();
  const after = await stranger.start(secrets(page.command("WEBHOOK_STRIPE_SECRET=whsec_new npm")));
  assert.deepEqual(await statuses("after"), [401, 200]);
  await after.stop();

  await stranger.start("npm start");
  await stranger.run(partOf("docs/senders/stripe.md#here").command("postern providers add"), {
    input: `${oldSecret}\n`,
  });
  await stranger.until("the sender is there", async () => (await statuses("added"))[0] === 200);
  await stranger.run(page.command("postern providers rotate"), { input: `${newOne}\n` });
  await stranger.until("the new secret counts", async () => (await statuses("rotated"))[1] === 200);
  assert.deepEqual(await statuses("overlap"), [200, 200]);
  return "both secrets count while it is rotated, then the new one alone; with and without a restart";
};

const addLimit = async (stranger) => {
  await stranger.project();
  const page = partOf("docs/limits.md#add-a-limit");
  stranger.write({ ...partOf("docs/resources.md").files, ...page.files });
  const shown = await stranger.run(page.command("POSTERN_CONFIG=limits/postern.config.ts npm run"));
  assert.match(shown, /limits/);
  await stranger.start(page.command("POSTERN_CONFIG=limits/postern.config.ts npm start"));
  const token = (await stranger.run(`${signedIn(stranger)}\nprintf %s "$TOKEN"`)).trim();
  const read = () => fetch(`${stranger.url}/api/v1/invoices`, { headers: { authorization: `Bearer ${token}` } });
  page.says("The first 120 requests are answered at once, and from then on two a second.");
  let answered = 0;
  let last = await read();
  // A slow machine gets some of those two a second.
  while (last.status === 200 && answered < 1_000) {
    answered += 1;
    last = await read();
  }
  assert.equal(last.status, 429);
  assert.ok(answered >= 120);
  assert.ok(Number(last.headers.get("retry-after")) > 0);
  assert.equal((await last.json()).code, "rate_limited");
  return `${answered} requests are answered, the next one 429`;
};

const twoNodes = async (stranger) => {
  const database = await scratchDatabase();
  try {
    await stranger.project();
    const page = partOf("docs/deploy.md#several-processes-on-a-database-server");
    const settings = readFileSync(join(stranger.folder, ".env"), "utf8");
    const [, key] = /^POSTERN_SECRET_KEY=(.*)$/m.exec(settings);
    const [, secret] = /^STRIPE_SECRET=(.*)$/m.exec(settings);
    const keyFile = join(stranger.folder, "key");
    writeFileSync(keyFile, key);
    const [, own, command] = /^In \[a project.* write `(.*)` for `(.*)`\.$/.exec(
      partOf("docs/deploy.md").says(
        "In [a project of your own](start.md#a-project-of-your-own) there is nothing to build: write `node node_modules/postern/bin/postern.mjs serve` for `node apps/server/dist/main.js`.",
      ),
    );
    const here = page.command("export DATABASE_URL=", database.url).replace("/etc/postern/key", keyFile);
    const inProject = (line) => line.replace(command.replace("node ", ""), own.replace("node ", ""));
    const start = (role, more) => {
      const line = inProject(page.command(`POSTERN_ROLE=${role}`)).replace("PORT=3000 ", "");
      const says = role === "worker" ? "working on jobs" : undefined;
      return stranger.start(`${here}\n${line}`, {
        more: { ...more, STRIPE_SECRET: secret, POSTERN_LOG_FORMAT: "pretty" },
        says,
      });
    };
    const other = String(stranger.port + 1);
    const first = await start("http");
    const nodes = [first, ...(await Promise.all([start("http", { PORT: other }), start("worker"), start("worker")]))];
    const token = (await stranger.run(`${signedIn(stranger)}\nprintf %s "$TOKEN"`)).trim();
    const numbers = Array.from({ length: 12 }, (_, at) => `2026-${at}`);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    for (const [at, number] of numbers.entries()) {
      const body = JSON.stringify({ number, amount: 12.5 });
      const made = await fetch(`${nodes[at % 2].url}/api/v1/invoices`, { method: "POST", headers, body });
      assert.equal(made.status, 201);
    }
    const deliver = (number) => {
      const event = { id: `evt_${number}`, type: "invoice.paid", data: { object: { number } } };
      return Promise.all(
        nodes.slice(0, 2).map(({ url }) => stranger.stripe(secret, event, { to: `${url}/api/webhooks/stripe` })),
      );
    };
    const answers = (await Promise.all(numbers.map(deliver))).flat();
    assert.ok(answers.every(({ status }) => status === 200));
    const count = (log) => log.split("an invoice is paid").length - 1;
    const paid = () => nodes.map(({ log }) => count(log()));
    await stranger.until("every invoice is paid", async () => {
      const [{ rows }] = await database.rows("select count(*)::int as rows from invoices where state = 'paid'");
      return rows === numbers.length;
    });
    await Promise.all(nodes.map(({ stop }) => stop()));
    const [{ events }] = await database.rows("select count(*)::int as events from inbox_event");
    assert.equal(events, numbers.length);
    assert.equal(
      paid().reduce((sum, one) => sum + one),
      numbers.length,
    );
    return `each of ${numbers.length} events once, though both nodes got each; the workers did ${paid().slice(2).join(" and ")}`;
  } finally {
    await stranger.leave();
    await database.drop();
  }
};

/** An application that somebody has already, as `create-next-app` makes it. */
const ownNext = {
  "package.json": JSON.stringify({ private: true, type: "module" }),
  "app/layout.tsx":
    'export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>;\n',
  "app/page.tsx": 'export default () => "My own page.";\n',
};

const embedInNext = async (stranger) => {
  const page = partOf("docs/embed/nextjs.md");
  stranger.write(ownNext);
  const { next, react, "react-dom": dom, "@types/react": types } = hostLibraries;
  const libraries = `next@${next} react@${react} react-dom@${dom} typescript@5 @types/node@24 @types/react@${types}`;
  await stranger.run(`npm install --ignore-scripts ${libraries}`);
  await stranger.run(page.command("npm install postern"));
  page.says("`next` stands for the folder of your application.");
  stranger.write(
    Object.fromEntries(Object.entries(page.files).map(([name, code]) => [name.replace("next/", ""), code])),
  );
  await stranger.run(page.command("npx next build"));
  const secret = newSecret();
  const server = await stranger.start(page.command("STRIPE_SECRET=", secret), { ready: "/postern/health/ready" });
  assert.match(await (await fetch(stranger.url)).text(), /My own page\./);
  page.says("Stripe's webhooks go to `/postern/api/webhooks/stripe`.");
  const to = `${stranger.url}/postern/api/webhooks/stripe`;
  const event = { id: "evt_1", type: "invoice.paid", data: { object: { number: "1" } } };
  assert.equal((await stranger.stripe(secret, event, { to })).status, 200);
  assert.equal((await stranger.stripe(newSecret(), event, { to })).status, 401);
  await stranger.until("the handler ran", () => server.log().includes("invoices: invoice.paid"));
  return "built and started; its own page is there, a webhook is verified and handled";
};

const writeAdapter = async (stranger) => {
  const page = partOf("docs/adapters.md");
  stranger.write({ "package.json": JSON.stringify({ private: true, type: "module" }) });
  await stranger.run(page.command("npm install"));
  const path = join(stranger.folder, "own-mailer/http-mailer.ts");
  stranger.write(page.files, { asTheyAre: true });
  assert.match(await stranger.run(`${page.command("npx vitest run")} 2>&1`), /Tests +\d+ passed/);
  writeFileSync(path, readFileSync(path, "utf8").replace("subject, text, message_id", 'subject: "", text, message_id'));
  assert.match(await stranger.fails(`${page.command("npx vitest run")} 2>&1`), /delivers address, subject and text/);
  return "the mailer of the page keeps the contract, and one that loses the subject does not";
};

export const tasks = [
  { name: "add Stripe", place: "docs/senders/stripe.md", work: addStripe },
  { name: "mark my invoice paid", place: handlers, work: markPaid },
  { name: "rename a field in v3", place: "docs/versions.md#rename-a-field-in-v3", work: renameField },
  { name: "embed in Next", place: "docs/embed/nextjs.md", isLong: true, work: embedInNext },
  {
    name: "an event is quarantined: find out why",
    place: "docs/operate.md#an-event-is-quarantined",
    isLong: true,
    work: quarantined,
  },
  { name: "test my handler", place: "docs/testing.md", isLong: true, work: testHandler },
  { name: "move to PostgreSQL", place: "docs/scale.md#move-to-another-database", work: moveToPostgres },
  { name: "rotate a secret", place: "docs/operate.md#rotate-a-senders-secret", isLong: true, work: rotateSecret },
  { name: "add a limit", place: "docs/limits.md#add-a-limit", work: addLimit },
  { name: "run on two nodes", place: "docs/deploy.md#several-processes-on-a-database-server", work: twoNodes },
  { name: "write an adapter", place: "docs/adapters.md", isLong: true, work: writeAdapter },
];
