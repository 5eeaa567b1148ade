import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { people } from "../../scripts/console-scene.ts";
import { overflowOf, violationsOn } from "../browser.ts";
import { context, open, openAs, scene, served } from "./console.ts";

/** What each role may change, and that it changes. */
export const writes = (): void => {
  test("a schedule is paused, resumed and run, by those who may", async () => {
    const { page, wrong } = await openAs("#/schedules", "operator");
    const row = page.locator("tbody tr", { has: page.getByText("every day at 03:00 (Europe/Berlin)") });
    await row.getByRole("link", { name: "report" }).waitFor();
    await row.getByRole("button", { name: "Pause report" }).click();
    await page.getByLabel("Why, for others").fill("<b>moving</b>");
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await row.getByText("<b>moving</b>").waitFor();
    await row.getByRole("button", { name: "Run report now" }).click();
    await page.getByText(/^Job \d+ of report is done, in /).waitFor();
    await row.getByRole("button", { name: "Resume report" }).click();
    await row
      .getByText(/^in \d/)
      .first()
      .waitFor();
    await expect.poll(() => row.locator("td").nth(2).locator(".tag").textContent(), { timeout: 30_000 }).toBe("done");
    expect(wrong).toEqual([]);
    await page.close();
    const seen = await openAs("#/schedules", "viewer");
    await seen.page.locator("tbody tr").first().waitFor();
    expect(await seen.page.locator("main button").count()).toBe(0);
    await seen.page.close();
  });

  test("somebody is invited by mail, and who is no operator sees no operators' menu", async () => {
    const { page, wrong } = await openAs("#/users", "admin");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("Name").fill("Joan Clarke");
    await page.getByLabel("Email").fill("joan@example.com");
    await page.getByLabel("Role").selectOption("user");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("joan@example.com gets a link by mail.").waitFor();
    await page.getByRole("link", { name: "Joan Clarke" }).waitFor();
    const token = (): string => {
      const mail = scene.t.sent().mails.find(({ to }) => to === "joan@example.com");
      return /#invite=(act_\w+)/.exec(mail?.text ?? "")?.[1] ?? "";
    };
    await expect.poll(token, { timeout: 30_000 }).not.toBe("");
    await page.goto(`${served.url}/api/account#invite=${token()}`);
    await page.getByLabel("New password").fill(people.admin.password);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("The password is set. Sign in with it.").waitFor();
    expect(wrong).toEqual([]);
    await page.close();
    await context.clearCookies();
    const opened = await open("#/");
    await opened.page.getByLabel("Email").fill("joan@example.com");
    await opened.page.getByLabel("Password").fill(people.admin.password);
    await opened.page.getByRole("button", { name: "Sign in" }).click();
    await opened.page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    const menu = opened.page.getByRole("navigation").getByRole("link");
    expect(await menu.allTextContents()).toEqual(["Sessions", "API keys", "Resources", "API"]);
    expect(opened.wrong).toEqual([]);
    await opened.page.close();
  });

  test("rows of a declared resource are filtered and changed, and nobody overwrites what they have not seen", async () => {
    const { page, wrong } = await openAs("#/resources", "admin");
    await page.getByRole("link", { name: "products" }).click();
    await page.getByLabel("is_sold").selectOption("false");
    await expect.poll(() => page.locator("tbody tr").allInnerTexts()).toEqual([expect.stringMatching(/^Garden chair/)]);
    await page.getByLabel("is_sold").selectOption("");
    await page.getByLabel("Filter by").selectOption({ label: "price from" });
    await page.getByLabel("Value").fill("60");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("link", { name: "Bread knife" }).click();
    await page.getByText("Mary Shaw").waitFor();
    const path = `/${page.url().split("#/resources/")[1]}`;
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("price", { exact: true }).fill("-1");
    await page.getByRole("button", { name: "Save" }).click();
    const price = page.getByLabel("price", { exact: true });
    await expect.poll(() => price.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator(".hint.wrong").allTextContents()).toEqual(["at least 0"]);
    const stocked = await scene.t.as("Mary Shaw").patch(path, { stock: 3 });
    expect([stocked.status, stocked.body]).toEqual([200, expect.anything()]);
    await price.fill("12.5");
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.locator(".changes li", { hasText: "stock" });
    await conflict.waitFor();
    expect(await conflict.locator("del, ins").allTextContents()).toEqual(["38", "3"]);
    expect(await price.inputValue()).toBe("12.5");
    expect(await violationsOn(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The row is saved.").waitFor();
    const { body } = await scene.t.as("Mary Shaw").get(path);
    expect(body).toMatchObject({ price: 12.5, stock: 3 });
    expect(wrong).toEqual([
      expect.stringContaining("400 (Bad Request)"),
      expect.stringContaining("412 (Precondition Failed)"),
    ]);
    await page.close();
  });

  test("what goes wrong with a form in a dialog stands in the dialog, and what was typed stays", async () => {
    const { page, wrong } = await openAs("#/senders", "admin");
    await page.getByRole("button", { name: "Add a sender" }).click();
    await page.getByLabel("Scheme").selectOption({ label: "Stripe" });
    expect(await page.getByLabel("Name").inputValue()).toBe("stripe");
    await page.getByLabel("Name").fill("Not A Name!");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Not A Name!");
    expect(await violationsOn(page)).toEqual([]);
    expect(wrong).toEqual([expect.stringContaining("400 (Bad Request)")]);
    await page.close();
  });

  test("a key is made with scopes and an end, shown once, and ended after the question of its operation", async () => {
    const { page, wrong } = await openAs("#/api-keys", "admin");
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByLabel("Name").fill("nightly report");
    await page.getByLabel("Ends").selectOption("7");
    await page.getByLabel("invoices:read").check();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Make", exact: true }).click();
    const key = String(await page.getByRole("dialog").locator("pre").textContent());
    const read = (path: string) =>
      fetch(`${served.url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect([(await read("/invoices")).status, (await read("/posts")).status]).toEqual([200, 403]);
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.locator("tbody tr", { hasText: "nightly report" });
    await row.getByText("in 6 d 23 h").waitFor();
    expect(await page.locator("main").textContent()).not.toContain(key);
    await row.getByRole("button", { name: "End" }).click();
    const asked = page.getByRole("dialog", { name: /^End the API key [-\da-f]{36}\?$/ });
    await asked.getByText("Whatever uses it is refused at once. This cannot be undone.").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await asked.getByRole("button", { name: "Leave it" }).click();
    expect((await read("/invoices")).status).toBe(200);
    await row.getByRole("button", { name: "End" }).click();
    await asked.getByRole("button", { name: "End" }).click();
    await page.getByText("The key has ended.").waitFor();
    expect((await read("/invoices")).status).toBe(401);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a key is rotated by those who may, the new one is shown once, and the old one stays good for a while", async () => {
    const { page, wrong } = await openAs("#/api-keys", "admin");
    const { body } = await scene.t.as("Mary Shaw").post("/api-keys", { name: "till", scopes: ["invoices:read"] });
    await page.reload();
    const rows = page.locator("tbody tr", { hasText: "till" });
    await rows.getByRole("button", { name: "Rotate till" }).click();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel("The old key ends").selectOption("3600");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const key = String(await page.getByRole("dialog").locator("pre").textContent());
    const read = (secret: unknown) =>
      fetch(`${served.url}/api/v2/invoices`, { headers: { authorization: `Bearer ${secret}` } });
    expect(key).not.toBe(body.key);
    expect([(await read(key)).status, (await read(body.key)).status]).toEqual([200, 200]);
    await page.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await rows.getByText(/^in 59 m/).waitFor();
    expect(await page.locator("main").textContent()).not.toContain(key);
    expect(wrong).toEqual([]);
    await page.close();
    const seen = await openAs("#/api-keys", "viewer");
    await seen.page.locator("tbody tr, .empty").first().waitFor();
    expect(await seen.page.locator("tbody").getByRole("button").count()).toBe(0);
    expect(seen.wrong).toEqual([]);
    await seen.page.close();
  });

  test("a client is registered with a secret that is shown once, gets a token with it, and is removed", async () => {
    const { page, wrong } = await openAs("#/clients", "admin");
    await page.getByRole("button", { name: "Register a client" }).click();
    await page.getByLabel("Name").fill("warehouse");
    await page.getByLabel("Acts for").selectOption({ label: "Mary Shaw" });
    await page.getByLabel("products:read").check();
    await page.getByRole("button", { name: "Register", exact: true }).click();
    const shown = page.getByRole("dialog").locator("pre");
    await shown.nth(1).waitFor();
    const [id = "", secret = ""] = await shown.allTextContents();
    const token = () => {
      const body = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
      return fetch(`${served.url}/oauth/token`, { method: "POST", body });
    };
    expect((await token()).status).toBe(200);
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.locator("tbody tr", { hasText: "warehouse" });
    await row.getByRole("button", { name: "End" }).click();
    await page
      .getByRole("dialog", { name: `Remove the client ${id}?` })
      .getByRole("button", { name: "End" })
      .click();
    await row.waitFor({ state: "detached" });
    expect((await token()).status).toBe(401);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("the page says what each role of this server may do, and which senders have faults", async () => {
    const { page, wrong } = await openAs("#/users", "admin");
    const area = page.locator("table", { hasText: "Operators only" }).locator("tr", { hasText: /^events/ });
    await area.waitFor();
    expect(await area.locator("td").allInnerTexts()).toEqual([
      "events",
      "–",
      "read",
      "read, replay, reveal",
      "read, replay, reveal",
    ]);
    await scene.t.deliver("slack", { type: "event_callback", data: {} }, { tamper: true });
    await page.goto(`${served.url}/console/#/?over=day`);
    const faulty = page.locator("section", { has: page.getByRole("heading", { name: "Senders with faults" }) });
    await faulty.getByRole("link", { name: "slack" }).waitFor();
    const cells = await faulty.locator("tr", { hasText: "slack" }).locator("td").allTextContents();
    expect(cells).toEqual([
      "slack",
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^[\d.]+%$/),
      expect.any(String),
    ]);
    await faulty.getByRole("link", { name: "slack" }).click();
    await page.getByRole("heading", { name: "slack", level: 1 }).waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  /** What a page has to change something with. */
  const writesOn = async (page: Page, path: string, whole: string): Promise<readonly string[]> => {
    await page.goto(`${served.url}/console/${path}`);
    await page.locator(whole).first().waitFor();
    return [...new Set(await page.locator("main .button:is(.main, .danger)").allInnerTexts())];
  };

  test.each([
    ["viewer", { senders: [], users: [], clients: [], audit: [], sessions: ["End"] }],
    ["operator", { senders: [], users: [], clients: [], audit: [], sessions: ["End"] }],
    [
      "admin",
      {
        senders: ["Add a sender"],
        users: ["Invite somebody"],
        clients: ["Register a client"],
        audit: [],
        sessions: ["End"],
      },
    ],
  ] as const)("the console offers %s the writes that the API lets them do", async (who, expected) => {
    const { page, wrong } = await openAs("", who);
    const found = {
      senders: await writesOn(page, "#/senders", "tbody tr"),
      users: await writesOn(page, "#/users", "tbody tr"),
      clients: await writesOn(page, "#/clients", ".empty, tbody tr"),
      audit: await writesOn(page, "#/audit", "tbody tr"),
      sessions: await writesOn(page, "#/sessions", "tbody .button"),
    };
    expect(found).toEqual(expected);
    expect(wrong).toEqual([]);
    await page.close();
  });
};
