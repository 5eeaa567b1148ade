import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { people } from "../../scripts/console-scene.ts";
import { overflowOf, violationsOn } from "../browser.ts";
import { context, openAs, scene, served } from "./console.ts";

const principal = { kind: "operator", name: "test" } as const;

/** Every address of a page, and of a row of each list. */
const addresses = [
  ...[
    "/",
    "/events",
    "/events/1",
    "/causes",
    "/causes/abcdefghijkl",
    "/plans",
    "/plans/1",
    "/senders",
    "/senders/stripe",
  ],
  ...["/jobs", "/jobs/1", "/queues", "/schedules", "/users", "/users/1", "/sessions", "/api-keys", "/clients"],
  ...["/resources", "/resources/products", "/resources/products/1", "/audit", "/versions", "/settings", "/api"],
  ...["/account", "/components", "/search"],
];

/** What somebody may have made of an address on its way. */
const malformed: readonly ((address: string) => string)[] = [
  (address) => `${address}/%`,
  (address) => `${address}/%zz/..`,
  (address) => `${address}/..`,
  (address) => `${address}/.`,
  (address) => `${address}/%00%E2%80%AE`,
  (address) => `${address}?%=%&hours=x&over=%00&days=x&state=nothing&sort=x&reads=%`,
  (address) => `${address}?hours=1e300&type=%E2%80%AE&for=%&provider=%00&cause=x&cursor=x&actor=%`,
];

/** Characters that hide what a text says. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** From a list to one of it and back, and what holds while somebody works with it. */
export const triage = (): void => {
  test("no address breaks the console, however malformed", async () => {
    const { page, wrong } = await openAs("", "admin");
    const thrown: string[] = [];
    page.on("pageerror", ({ message }) => thrown.push(message));
    const told = async (address: string): Promise<string> => {
      await page.locator("main h1, main .empty, main .notice").first().waitFor();
      const text = String(await page.locator("main").textContent());
      expect(await page.getByRole("navigation").count(), address).toBe(1);
      return text;
    };
    for (const address of addresses) {
      for (const bend of malformed) {
        await page.goto(`${served.url}/console/#${bend(address)}`);
        expect(await told(bend(address)), bend(address)).not.toContain("cannot be shown");
      }
    }
    await page.goto(`${served.url}/console/#/events/%`);
    await page.reload();
    await page.getByRole("heading", { name: "Nothing here" }).waitFor();
    await page.getByRole("link", { name: "← Events" }).waitFor();
    expect(thrown).toEqual([]);
    // What the API does not know it refuses; nothing else went wrong.
    expect(wrong.filter((text) => !/status of (?:400|404)/.test(text))).toEqual([]);
    await page.close();
  });

  test("filters and place are there again, by the link and by the browser's own way back", async () => {
    const { page, wrong } = await openAs("#/events", "operator");
    await page.getByLabel("Sender", { exact: true }).selectOption("stripe");
    const list = page.locator(".virtual");
    await list.waitFor();
    const topOf = () => list.evaluate((element) => element.scrollTop);
    await expect.poll(() => list.evaluate((element) => element.scrollHeight)).toBeGreaterThan(1_200);
    await list.evaluate((element) => element.scrollTo(0, 500));
    await expect.poll(topOf).toBe(500);
    const open = () => page.locator(".event-line").nth(15).click();
    await open();
    await page.locator(".timeline").waitFor();
    await page.getByRole("link", { name: "← Events" }).click();
    await list.waitFor();
    expect(await page.getByLabel("Sender", { exact: true }).inputValue()).toBe("stripe");
    await expect.poll(topOf).toBe(500);
    await open();
    await page.locator(".timeline").waitFor();
    await page.goBack();
    await list.waitFor();
    expect(page.url()).toContain("provider=stripe");
    await expect.poll(topOf).toBe(500);
    // The menu begins anew.
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await expect.poll(topOf).toBe(0);
    expect(page.url()).not.toContain("provider=stripe");
    await page.goto(`${served.url}/console/#/jobs`);
    await page.locator("tbody tr").nth(60).waitFor();
    await page.evaluate("scrollTo(0, 900)");
    await expect.poll(() => page.evaluate("scrollY")).toBe(900);
    await page.locator("tbody tr").nth(30).getByRole("link").click();
    await page.getByRole("link", { name: "← Jobs" }).click();
    await expect.poll(() => page.evaluate("scrollY")).toBe(900);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a text that is typed into a filter stays with its page when somebody goes on at once", async () => {
    const { page } = await openAs("#/jobs", "operator");
    await page.locator("tbody tr").first().waitFor();
    await page.getByLabel("Handler").fill("stripe:*");
    await page.getByRole("link", { name: "Queues", exact: true }).click();
    await page.getByRole("heading", { name: "Queues", level: 1 }).waitFor();
    await page.waitForTimeout(500);
    expect(page.url()).toMatch(/#\/queues$/);
    await page.goBack();
    await expect.poll(() => page.getByLabel("Handler").inputValue()).toBe("stripe:*");
    await page.close();
  });

  test("one field finds an id of any kind, a type by a pattern, and a text in payloads", async () => {
    const { page, wrong } = await openAs("", "operator");
    const type = `invoice.found-${scene.t.now()}`;
    const { id } = await scene.t.deliver("stripe", { type, data: { object: { note: "a needle in the hay" } } });
    const search = async (text: string) => {
      await page.keyboard.press("Escape");
      await page.locator("main").focus();
      await page.keyboard.press("/");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await page.getByText(`For “${text}”.`).waitFor();
    };
    await search(String(id));
    const byId = page.locator("section", { has: page.getByRole("heading", { name: "By its id" }) });
    await byId.getByRole("link", { name: "Event", exact: true }).waitFor();
    const [event] = (await scene.t.events({ type })).slice(0, 1);
    await search(String(event?.eventId));
    await byId.getByText(type).waitFor();
    await search("stripe");
    await byId.getByRole("link", { name: "Sender" }).waitFor();
    await search("invoice.found-*");
    await page.locator("tbody tr", { hasText: type }).waitFor();
    await search("needle in the hay");
    await page
      .locator("section", { hasText: "Events with this text" })
      .locator("tbody tr", { hasText: type })
      .waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.locator("section", { hasText: "Events with this text" }).getByRole("link", { name: "all" }).click();
    await page.locator(".event-line", { hasText: type }).waitFor();
    await page.getByRole("button", { name: "Any text" }).click();
    await page.getByText("All", { exact: true }).waitFor();
    expect(page.url()).not.toContain("needle");
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("jobs show their sender and error, and all that match are retried by a plan", async () => {
    const { t } = scene;
    scene.mend();
    const { page, wrong } = await openAs("#/jobs?state=dead&provider=github", "operator");
    const first = page.locator("tbody tr").first();
    await first.waitFor();
    expect(await first.locator("td").nth(1).textContent()).toBe("github");
    expect(await first.locator("td").nth(4).textContent()).toContain("ECONNREFUSED");
    const many = Number(/(\d+) jobs?$/.exec(String(await page.locator("caption").textContent()))?.[1]);
    const link = await first.getByRole("link").getAttribute("href");
    await page.getByRole("button", { name: "Plan a retry of these" }).click();
    await page.getByText("Nothing has changed yet.").waitFor();
    await page.getByRole("heading", { name: "Retry dead jobs of github", level: 1 }).waitFor();
    await page.getByText("Jobs that match").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const state = page.locator(".page-head .tag");
    await expect.poll(() => state.textContent(), { timeout: 30_000 }).toBe("done");
    await expect.poll(() => page.locator("main dd").first().textContent()).toBe(String(many));
    await page.goto(`${served.url}/console/${link}`);
    await page.getByRole("link", { name: "github" }).waitFor();
    const dead = await t.postern.app.run({
      operation: "admin.jobs.list",
      principal,
      query: { "filter[state]": "dead", "filter[provider]": "github", total: "true" },
    });
    expect(Object(dead.body).page.total).toBeGreaterThanOrEqual(many);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("queues are all listed, with their limits, and no row moves under the pointer", async () => {
    const { page, wrong } = await openAs("", "operator");
    const row = (name: string, ready: number) => ({
      ...{ name, paused: false, note: null, ready, oldest_ready_at: null, running: 1, ended_last_minute: 4 },
      ...{ at_once: 10, per_second: name === "mail" ? 5 : null, workers: 1 },
    });
    let listed = [row("default", 0), row("mail", 3), row("reports", 0)];
    await page.route(/\/admin\/queues$/, (route) => route.fulfill({ json: { data: listed } }));
    await page.goto(`${served.url}/console/#/queues`);
    const names = () => page.locator("tbody").first().locator("td:first-child a").allTextContents();
    await expect.poll(names).toEqual(["default", "mail", "reports"]);
    await page.getByText("3 queues").waitFor();
    await page.getByRole("cell", { name: "1 of 10" }).first().waitFor();
    await page.getByText("at most 5 a second").waitFor();
    await page.locator("tbody tr", { hasText: "reports" }).first().hover();
    listed = [row("bulk", 9), row("default", 7), row("reports", 0)];
    await page.getByRole("cell", { name: "7", exact: true }).waitFor({ timeout: 15_000 });
    expect(await names()).toEqual(["default", "mail", "reports"]);
    await page.locator("h1").hover();
    await expect.poll(names).toEqual(["bulk", "default", "mail", "reports"]);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("senders show what came, what was refused and when the last event came, and why one has no Rotate", async () => {
    const { page, wrong } = await openAs("#/senders", "admin");
    const shopify = page.locator("tbody tr", { hasText: "shopify" });
    await expect.poll(() => shopify.locator("td").nth(2).textContent()).toMatch(/^\d+$/);
    expect(await shopify.locator("td").nth(3).textContent()).toMatch(/^\d+$/);
    expect(await shopify.locator("td").nth(4).textContent()).toMatch(/ago$|^now$/);
    await shopify.getByRole("link").click();
    await page.getByText("WEBHOOK_SHOPIFY_SECRET=<new key>,<old key>").waitFor();
    await page.getByText('secret: ["<new key>", "<old key>"]').waitFor();
    expect(await page.getByRole("button", { name: "Rotate the key" }).count()).toBe(0);
    await page.goto(`${served.url}/console/#/senders`);
    await page.getByRole("button", { name: "Add a sender" }).click();
    await page.getByLabel("Scheme").selectOption({ label: "Standard Webhooks" });
    await page.getByLabel("Name").fill("acme");
    await page.getByLabel("Signing key").fill("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Rotate the key" }).waitFor();
    await page.getByText("valid", { exact: true }).waitFor();
    // Two keys of the same minute are told apart.
    await page.getByRole("button", { name: "Rotate the key" }).click();
    await page.getByLabel("Signing key").fill(`whsec_${Buffer.alloc(24, 9).toString("base64")}`);
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const keys = page.locator("section", { hasText: "2 keys" }).locator("tbody code");
    await expect.poll(() => keys.count()).toBe(2);
    expect(new Set(await keys.allTextContents()).size).toBe(2);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("the audit log hides who read payloads at first, and shows what one person did", async () => {
    const { page, wrong } = await openAs("#/events?state=dead", "operator");
    await page.locator(".event-line").first().click();
    await page.locator(".timeline").waitFor();
    await page.close();
    const { page: audit, wrong: wrongThere } = await openAs("#/audit", "admin");
    await audit.locator("tbody tr").first().waitFor();
    expect(await audit.locator("tbody tr", { hasText: "events:reveal" }).count()).toBe(0);
    await audit.getByLabel("Reads").selectOption({ label: "With who read payloads" });
    await audit.locator("tbody tr", { hasText: "events:reveal" }).first().waitFor();
    await audit.getByLabel("Who").selectOption({ label: people.operator.name });
    // While the list is loaded anew, it has no row at all.
    await audit.locator("tbody tr", { hasText: people.operator.name }).first().waitFor();
    await expect.poll(() => audit.locator("tbody tr", { hasNotText: people.operator.name }).count()).toBe(0);
    await audit.locator("tbody tr", { hasText: people.operator.name }).first().waitFor();
    await audit.getByRole("link", { name: "console.sign-in" }).first().click();
    await expect.poll(() => audit.locator("tbody tr", { hasNotText: "console.sign-in" }).count()).toBe(0);
    await audit.locator("tbody tr", { hasText: "console.sign-in" }).first().waitFor();
    expect(await audit.getByRole("link", { name: "console.sign-in" }).count()).toBe(0);
    expect([wrong, wrongThere]).toEqual([[], []]);
    await audit.close();
  });

  test("who still uses what will be removed leads to whose it is", async () => {
    const { email, password, name } = people.viewer;
    const signedIn = await fetch(`${served.url}/api/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${served.url}/api/v1/users/me?fields=subscription_status`, { headers })).status).toBe(200);
    const { page, wrong } = await openAs("#/versions", "admin");
    await page
      .getByRole("link", { name: /^user:/ })
      .first()
      .click();
    await page.locator("tbody tr", { hasText: name }).first().waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a body is downloaded as the bytes that came", async () => {
    const { page, wrong } = await openAs("", "operator");
    const body = `{"id":"evt_bytes_${scene.t.now()}","type":"invoice.bytes","data":{"object":{"amount":1.10}}}\n`;
    const { id } = await scene.t.deliver("stripe", body);
    await page.goto(`${served.url}/console/#/events/${id}`);
    const asked = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const file = await asked;
    expect(file.suggestedFilename()).toBe(`event-${id}.json`);
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toBe(body);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a session that has ended says so, and what was typed is still there after the next sign-in", async () => {
    const { page } = await openAs("#/senders", "admin");
    await page.getByRole("button", { name: "Add a sender" }).click();
    await page.getByLabel("Scheme").selectOption({ label: "Stripe" });
    await page.getByLabel("Name").fill("shop-two");
    const listed = async (operation: string, query: Readonly<Record<string, string>>) =>
      Object((await scene.postern.app.run({ operation, principal, query })).body).data;
    const [account] = await listed("users.list", { "filter[email]": people.admin.email });
    for (const { id } of await listed("sessions.list", { limit: "100", "filter[user_id]": account.id })) {
      await scene.postern.app.run({ operation: "sessions.delete", principal, params: { id } });
    }
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await ended.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await ended.getByLabel("Password").fill(people.admin.password);
    await ended.getByRole("button", { name: "Sign in" }).click();
    await ended.waitFor({ state: "detached" });
    expect(await page.getByLabel("Name").inputValue()).toBe("shop-two");
    await page.close();
  });

  test("while the server is away, the page says so and its numbers are dimmed, until it answers again", async () => {
    const { page } = await openAs("", "operator");
    const figure = page.locator(".figure-value").last();
    const colour = () =>
      page.evaluate("getComputedStyle([...document.querySelectorAll('.figure-value')].at(-1)).color").then(String);
    await expect.poll(() => figure.textContent()).toMatch(/\d/);
    const [before, number] = [await colour(), await figure.textContent()];
    await page.route(/\/api\/v2\//, (route) => route.abort());
    await page
      .getByText(/^The server does not answer\. What you see is from [\d:]{8} UTC/)
      .waitFor({ timeout: 15_000 });
    expect([await colour(), await figure.textContent()]).toEqual([expect.not.stringContaining(before), number]);
    expect(await violationsOn(page)).toEqual([]);
    await page.unroute(/\/api\/v2\//);
    await page.getByText(/^The server does not answer/).waitFor({ state: "detached", timeout: 15_000 });
    expect(await colour()).toBe(before);
    await page.close();
  });

  /** Whether any text of the page, or of a tooltip, hides something. */
  const hides = async (page: Page): Promise<readonly string[]> => {
    const texts: unknown = await page.evaluate(`[
      document.title, document.body.innerText,
      ...[...document.querySelectorAll("[title], [aria-label]")].flatMap((one) => [one.title, one.ariaLabel ?? ""]),
    ]`);
    return (texts as readonly string[]).filter((text) => hidden.test(text));
  };

  test("no stored text hides a character, on whatever page it shows", async () => {
    const { page, wrong } = await openAs("", "operator");
    const turned = "in\u202Eecrof\u200B";
    const data = { object: { id: `${turned}_1`, customer: `cus\u2066_${turned}` } };
    const { id } = await scene.t.deliver("stripe", { id: `evt_${turned}`, type: `invoice.${turned}`, data });
    await scene.postern.app.run({
      operation: "admin.queues.pause",
      principal,
      params: { name: "reports" },
      body: { note: `moved\u202E ${turned}` },
    });
    for (const path of [
      "",
      "#/events",
      `#/events/${id}`,
      "#/jobs",
      "#/queues",
      "#/senders/stripe",
      "#/search?for=invoice*",
    ]) {
      await page.goto(`${served.url}/console/${path}`);
      await expect
        .poll(() => page.locator("tbody tr, .event-line, .timeline li").count(), { message: path })
        .toBeGreaterThan(0);
      await page.waitForTimeout(300);
      expect(await hides(page), path).toEqual([]);
    }
    await page.goto(`${served.url}/console/#/events/${id}`);
    await page.getByRole("heading", { name: "invoice.in\\u202eecrof\\u200b" }).waitFor();
    await scene.postern.app.run({ operation: "admin.queues.resume", principal, params: { name: "reports" } });
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a phone shows why an event is dead, that a last run is, and what was changed", async () => {
    const { page } = await openAs("#/events?state=dead", "admin");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    const reason = page.locator(".event-line .reason").first();
    await reason.waitFor();
    expect(await reason.isVisible()).toBe(true);
    expect(await reason.textContent()).toMatch(/Error/);
    await page.goto(`${served.url}/console/#/jobs?state=dead`);
    await page.locator("tbody .only-narrow.wrong", { hasText: /Error/ }).first().waitFor();
    await page.goto(`${served.url}/console/#/schedules`);
    await page.locator("tbody .only-narrow", { hasText: "Last:" }).first().waitFor();
    await page.goto(`${served.url}/console/#/audit`);
    await page
      .locator("tbody .only-narrow", { hasText: /^\w+ \S+$/ })
      .first()
      .waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });

  test("a long title is cut, and shown whole on demand", async () => {
    const { page } = await openAs("", "operator");
    const type = `invoice.${"long-".repeat(23)}${scene.t.now()}`;
    const long = `${type}-${"x".repeat(40)}`.slice(0, 128);
    await page.route(/\/admin\/causes\?/, async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      if (json.data[0] !== undefined) json.data[0].message = long.repeat(20);
      await route.fulfill({ response: answer, json });
    });
    await page.goto(`${served.url}/console/#/causes`);
    await page.locator("tbody a").first().click();
    const title = page.getByRole("heading", { level: 1 });
    await expect.poll(() => title.textContent()).toMatch(/…$/);
    expect(String(await title.textContent()).length).toBeLessThan(150);
    await page.getByRole("button", { name: "Show the whole title" }).click();
    expect(await title.textContent()).toBe(long.repeat(20));
    await page.close();
  });

  test("somebody else who signs in after a session has ended sees nothing of the first person's page", async () => {
    const { page } = await openAs("#/account", "admin");
    await page.getByText(people.admin.email).first().waitFor();
    await context.clearCookies();
    await page.route(/\/api\/v2\//, (route) => route.fulfill({ status: 401, json: { code: "invalid_token" } }));
    await page.goto(`${served.url}/console/#/users`);
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await ended.waitFor();
    await page.unroute(/\/api\/v2\//);
    await ended.getByLabel("Email").fill(people.viewer.email);
    await ended.getByLabel("Password").fill(people.viewer.password);
    await ended.getByRole("button", { name: "Sign in" }).click();
    await ended.waitFor({ state: "detached" });
    await page.locator("tbody tr", { hasText: people.viewer.email }).waitFor();
    expect(await page.locator("table").first().locator("tbody tr").count()).toBe(1);
    await page.close();
    await context.clearCookies();
  });
};
