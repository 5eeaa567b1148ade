import { on } from "@postern/inbox";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { testPostern } from "../../packages/testing/src/index.ts";
import { people, serveScene } from "../../scripts/console-scene.ts";
import { openPage, overflowOf, violationsOn } from "../browser.ts";
import { context, isLong, openAs, scene, served, signIn } from "./console.ts";

/** From an event to why it failed, and to its replay. */
export const events = (): void => {
  test("a payload shows as text, byte for byte, whatever it holds", async () => {
    const { page, wrong } = await openAs(`#/events/${scene.hostile}`, "operator");
    const tree = page.locator(".tree");
    await tree.waitFor();
    const text = String(await tree.textContent());
    expect(text).toContain("9007199254740993");
    expect(text).toContain("12.300");
    expect(text).toContain("<script>alert(1)</script>");
    expect(text).toContain("invoice\\u202efdp.exe");
    expect(await tree.textContent()).toMatch(/more characters/);
    await page.getByRole("button", { name: "As received" }).click();
    expect(await page.locator(".code pre").first().textContent()).toContain('"amount":12.300');
    await page.getByRole("button", { name: /^Show all/ }).click();
    await expect
      .poll(async () => String(await page.locator(".code pre").first().textContent()).length)
      .toBeGreaterThan(1e6);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a viewer sees what happened, and neither payloads nor buttons that change something", async () => {
    const { page, wrong } = await openAs("#/events?state=dead", "viewer");
    expect(await page.getByLabel("Text in the payload").count()).toBe(0);
    await page.locator(".event-line").first().click();
    await page.getByText("Your role does not see payloads.").waitFor();
    const names = await page.locator("main button").allInnerTexts();
    expect(names).toEqual([]);
    expect(wrong).toEqual([]);
    await page.close();
  });

  /** What the top of a page says about the event or the plan. */
  const stateOn = (page: Page): Promise<string | null> => page.locator(".page-head .tag").textContent();

  test("from a dead event to its cause, and all of them replayed, takes three clicks", async () => {
    const { page, wrong } = await openAs("#/events?state=dead&provider=stripe", "operator");
    const first = await page.locator(".event-line").first().getAttribute("href");
    scene.mend();
    await page.goto(`${served.url}/console/${first}`);
    await page.locator("main p", { hasText: "Cause:" }).getByRole("link").click();
    await page.getByRole("button", { name: /^Plan a replay of \d+/ }).click();
    await page.getByText(/^Nothing has changed yet\. Run the plan \S+\? What it does to events stays/).waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("done");
    await page.goto(`${served.url}/console/${first}`);
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("processed");
    expect(wrong).toEqual([]);
    await page.close();
  });

  /** Presses Tab until what has the focus has this name. */
  const tabTo = async (page: Page, name: RegExp | ((name: string) => boolean)): Promise<void> => {
    const fits = typeof name === "function" ? name : (found: string) => name.test(found);
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(
        "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.innerText ?? ''",
      );
      if (fits(String(focused).replaceAll("\n", " "))) return;
    }
    throw new Error(`no Tab leads to ${name}`);
  };

  test("a dead event is replayed by keyboard alone", async () => {
    scene.mend();
    const { page } = await openAs("#/events?state=dead", "operator");
    await page.locator(".event-line").first().waitFor();
    await page.keyboard.press("Tab");
    await tabTo(page, /^Events, newest first$/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".timeline").waitFor();
    await tabTo(page, /^Replay$/);
    await page.keyboard.press("Enter");
    await page.getByText(/jobs? runs? again/).waitFor();
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("processed");
    await page.close();
  });

  test("from a dead event to its cause, and all of them replayed, by keyboard alone", async () => {
    scene.mend();
    const { page, wrong } = await openAs("#/events?state=dead", "operator");
    // Those of github are for another test.
    const dead = await page.locator(".event-line", { hasNotText: "github" }).first().getAttribute("href");
    await page.goto(`${served.url}/console/${dead}`);
    await page.locator("main p", { hasText: "Cause:" }).waitFor();
    const cause = String(await page.locator("main p", { hasText: "Cause:" }).getByRole("link").textContent());
    await tabTo(page, (name) => name === cause);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Plan a replay of \d+/ }).waitFor();
    await tabTo(page, /^Plan a replay of \d+$/);
    await page.keyboard.press("Enter");
    await page.getByText("Nothing has changed yet.").waitFor();
    await tabTo(page, /^Run$/);
    await page.keyboard.press("Enter");
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("done");
    await page.goto(`${served.url}/console/${dead}`);
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("processed");
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("an event says why it was accepted, and a sender what was refused and what to do", async () => {
    const { page, wrong } = await openAs("#/events?state=processed&provider=slack", "operator");
    const forged = { signedAt: scene.t.now() - 3_600_000 };
    await scene.t.deliver("slack", { type: "event_callback", data: {} }, forged);
    await page.goto(`${served.url}/console/#/senders/slack`);
    const refusals = page.locator(".refusals");
    await refusals.getByText("timestamp_too_old", { exact: true }).first().waitFor();
    await refusals.locator("summary").first().click();
    await refusals.getByText(/^.*1 h before it came; 5 m are allowed$/).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await scene.t.deliver("stripe", { type: "invoice.paid", data: { object: { id: "in_1" } } });
    await page.goto(`${served.url}/console/#/events?provider=stripe`);
    await page.locator(".event-line").first().click();
    const trace = page.locator("section", { has: page.getByRole("heading", { name: "Why it was accepted" }) });
    await trace.getByText("stripe", { exact: true }).waitFor();
    const told = String(await trace.textContent());
    expect(told).toContain("{timestamp}.{body}");
    expect(told).toMatch(/the same signed id.*evt_/);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a quarantined event shows what was sent beside its body, and runs anyway with a reason", async () => {
    scene.mend();
    const body = `{"object":"event","id":"evt_untyped_${Date.now()}","data":{"object":{"customer":"cus_1"}}}`;
    const { id } = await scene.t.deliver("stripe", body, {
      headers: { "content-type": "application/json", "user-agent": `Stripe/1.0 ${"x".repeat(600)}` },
      tamper: (signed) => ({ ...signed, url: `${signed.url}?shop=berlin` }),
    });
    const viewed = await openAs(`#/events/${id}`, "viewer");
    await viewed.page.getByText("Your role does not see payloads.").waitFor();
    expect(await viewed.page.getByRole("button", { name: /Run it anyway/ }).count()).toBe(0);
    expect(await viewed.page.getByText("shop=berlin").count()).toBe(0);
    await viewed.page.close();
    const { page, wrong } = await openAs(`#/events/${id}`, "operator");
    const outside = page.locator("section", { has: page.getByRole("heading", { name: "Headers and query" }) });
    await outside.waitFor();
    const told = await outside.locator("dt, dd").allTextContents();
    expect(told).toEqual([
      ...["Content-Type", "application/json not signed", "Query", "shop=berlin not signed"],
      ...["Too long, left out", "header:user-agent"],
    ]);
    const trace = page.locator("section", { has: page.getByRole("heading", { name: "Why it was accepted" }) });
    await trace.getByText("stripe-signature").waitFor();
    expect(await trace.locator("dd", { hasText: "stripe-signature" }).textContent()).toBe("stripe-signature not kept");
    const shots = process.env.POSTERN_TEST_PICTURES;
    const look = async (name: string): Promise<void> => {
      for (const width of [1280, 390])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          expect(await overflowOf(page)).toBe(0);
          expect(await violationsOn(page)).toEqual([]);
          if (shots !== undefined)
            await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
    };
    await look("quarantined");
    await page.getByRole("button", { name: /Run it anyway/ }).click();
    const dialog = page.getByRole("dialog", { name: `Run event ${id} anyway?` });
    await look("overrule");
    await dialog.getByLabel("Reason").fill("The sender told us by mail.");
    await dialog.getByLabel("Type").fill("customer.updated");
    await dialog.getByRole("button", { name: "Run it anyway" }).click();
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("processed");
    await page.getByText("overruled: The sender told us by mail.").waitFor();
    expect(await page.getByRole("button", { name: /Run it anyway/ }).count()).toBe(0);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a plan replays quarantined events anyway with a reason", async () => {
    scene.mend();
    const body = `{"object":"event","id":"evt_planned_${Date.now()}","data":{"object":{"customer":"cus_1"}}}`;
    const { id } = await scene.t.deliver("stripe", body);
    const { page, wrong } = await openAs("#/events?state=quarantined&provider=stripe", "operator");
    await page.getByRole("button", { name: "Plan a replay of these" }).click();
    const dialog = page.getByRole("dialog", { name: "Plan a replay of quarantined events" });
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByLabel("Reason").fill("The sender told us by mail.");
    await dialog.getByRole("button", { name: "Plan it" }).click();
    await page.getByText("Nothing has changed yet.").waitFor();
    await page.getByText(/The sender told us by mail\.$/).waitFor();
    expect(await page.getByText(/left out: the event has no type/).count()).toBe(0);
    await page.getByRole("button", { name: "Run" }).click();
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("done");
    await page.goto(`${served.url}/console/#/events/${id}`);
    await expect.poll(() => stateOn(page), { timeout: 30_000 }).toBe("processed");
    await page.getByText("overruled: The sender told us by mail.").waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("an event shows what differs from the last good one, and what people note about it", async () => {
    scene.mend();
    const { page, wrong } = await openAs("", "operator");
    const type = "invoice.compared";
    const { id: good } = await scene.t.deliver("stripe", { type, data: { object: { amount: 4_900, lines: [] } } });
    const stateOfGood = async () => (await scene.t.events({ type })).find(({ id }) => id === good)?.state;
    await expect.poll(stateOfGood, { timeout: 30_000 }).toBe("processed");
    const { id } = await scene.t.deliver("stripe", { type, data: { object: { amount: "4,900", lines: [] } } });
    await page.goto(`${served.url}/console/#/events/${id}`);
    await page.getByRole("button", { name: "Beside the last good one" }).click();
    const change = page.locator(".changes li", { hasText: "/data/object/amount" });
    await change.waitFor();
    expect(await change.locator("del, ins").allTextContents()).toEqual(["4900", '"4,900"']);
    await page.getByLabel("A note for others").fill("<b>Amounts are texts now.</b>");
    await page.getByRole("button", { name: "Add the note" }).click();
    await page.locator(".notes li", { hasText: "<b>Amounts are texts now.</b>" }).getByText("you").waitFor();
    expect(await page.getByLabel("A note for others").inputValue()).toBe("");
    expect(await violationsOn(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("an event shows what its handler logged when it failed, and the events of the same order key", async () => {
    const { page, wrong } = await openAs("#/events?state=dead&provider=github", "operator");
    await page.locator(".event-line").first().click();
    const logged = page.locator(".timeline details", { hasText: "1 line logged" }).first();
    await logged.locator("summary").click();
    await logged.getByText(/^[\d:.]{12} UTC\S* info asking the other side attempt=\d$/).waitFor();
    const ids: (number | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { id } = await scene.t.deliver("stripe", {
        type: "customer.moved",
        data: { customer: "cus_line" },
      });
      ids.push(id);
    }
    await page.goto(`${served.url}/console/#/events/${ids[1]}`);
    const line = page.locator("section", { has: page.getByRole("heading", { name: "Of the order key cus_line" }) });
    await line.waitFor();
    expect(await line.getByRole("link").allTextContents()).toEqual([String(ids[2]), String(ids[0])]);
    expect(await violationsOn(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("an event shows in the list as soon as it has come", async () => {
    const { page, wrong } = await openAs("", "operator");
    const feed = page.waitForResponse(/\/admin\/feed\?kind=event$/);
    await page.goto(`${served.url}/console/#/events?provider=stripe`);
    expect((await feed).status()).toBe(200);
    await page.locator(".event-line").first().waitFor();
    // Rows stay where they are while the pointer is over them.
    await page.mouse.move(1, 1);
    const type = `invoice.sent-${Date.now()}`;
    await scene.t.deliver("stripe", { type, data: { object: { id: "in_1" } } });
    await page.locator(".event-line", { hasText: type }).waitFor({ timeout: 15_000 });
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("what comes late for other filters does not show, and one feed serves them all", async () => {
    const { page, wrong } = await openAs("", "operator");
    let feeds = 0;
    page.on("request", (request) => {
      if (request.url().includes("/admin/feed")) feeds += 1;
    });
    let letGo = (): void => undefined;
    const isLate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(/\/admin\/events\?.*slack/, async (route) => {
      const answer = await route.fetch();
      await isLate;
      await route.fulfill({ response: answer });
    });
    await page.goto(`${served.url}/console/#/events`);
    await page.locator(".event-line").first().waitFor();
    const asked = page.waitForRequest(/provider.*slack/);
    await page.getByLabel("Sender", { exact: true }).selectOption("slack");
    await asked;
    await page.getByLabel("Sender", { exact: true }).selectOption("github");
    await page.locator(".event-line", { hasText: "github" }).first().waitFor();
    const late = page.waitForResponse(/provider.*slack/);
    letGo();
    await (await late).finished();
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    expect(await page.locator(".event-line", { hasText: "github" }).count()).toBeGreaterThan(0);
    expect(feeds).toBe(1);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("failures of seven causes show as seven lines, however many there are", async () => {
    const attempts = 4;
    // 12,000 failures in a long run.
    const events = isLong ? 3_000 : 300;
    const reasons = [
      (id: number) => new Error(`the mail server answered 451 for message ${id}`),
      (id: number) => new TypeError(`customer ${id} has no address`),
      (id: number) => new RangeError(`amount ${id}.50 is above the limit`),
      (id: number) => new Error(`connect ECONNREFUSED 10.0.4.17:${1024 + (id % 60_000)}`),
      (id: number) => new Error(`invoice 2026-${id} exists already`),
      (id: number) => new SyntaxError(`Unexpected token at position ${id}`),
      (id: number) => new Error(`429 Too Many Requests, retry after ${id} ms`),
    ];
    const t = await testPostern({
      console: "on",
      providers: { stripe: {} },
      handlers: [
        on(
          "stripe",
          "*",
          ({ data }) => {
            const { number } = Object(data);
            throw reasons[number % reasons.length]?.(number) ?? new Error();
          },
          { retry: { delaysMs: [1_000, 1_000, 1_000] } },
        ),
      ],
    });
    const { url, stop } = await serveScene({ t, postern: t.postern });
    const principal = { kind: "operator", name: "test" } as const;
    const body = { ...people.operator, role: "operator" };
    await t.postern.app.run({ operation: "users.create", principal, body });
    for (let number = 0; number < events; number += 1) {
      await t.deliver("stripe", { type: "invoice.paid", data: { number } });
    }
    await t.advance("1m");
    await context.clearCookies();
    const { page, wrong } = await openPage(context, { url: `${url}/console/#/causes`, origin: url, scheme: "light" });
    await signIn(page);
    await expect.poll(() => page.locator("tbody tr").count(), { timeout: 20_000 }).toBe(reasons.length);
    const counts = await page.locator("tbody td:nth-child(3)").allTextContents();
    const failures = counts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
    expect(failures).toBe(events * attempts);
    expect(wrong).toEqual([]);
    await page.close();
    await stop();
  });
};
