import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, launchBrowser, openPage, overflowOf, violationsOn } from "./browser.ts";

const pages = [
  "/api/v1/docs",
  "/api/v2/docs",
  "/api/changelog?format=html",
  "/api/deprecations?format=html",
  "/api/problems/precondition_failed?format=html",
];

const isLong = process.env.POSTERN_TEST_LONG === "1";

// axe needs all of a processor for some seconds, and tests share the processors.
describe.skipIf(!hasBrowser)("the documentation in a browser", { timeout: 120_000 }, () => {
  const profile = mkdtempSync(join(tmpdir(), "postern-browser-"));
  let app: App;
  let server: HttpServer;
  let url: string;
  let context: BrowserContext;

  beforeAll(async () => {
    app = createApp({ versions: builtInVersions, ports: memoryPorts(), settings: { rateLimits: "off" } });
    await app.prepareDocuments();
    server = createHttpServer(app);
    ({ url } = await server.listen());
    context = await launchBrowser(profile);
  });

  afterAll(async () => {
    await context?.close();
    await server?.close({ graceMs: 0 });
    rmSync(profile, { recursive: true, force: true });
  });

  const open = (path: string, scheme: "light" | "dark", width?: number) =>
    openPage(context, { url: url + path, origin: url, scheme, ...(width === undefined ? {} : { width }) });

  for (const path of pages) {
    // The pages of both versions are made by the same code, and axe reads one of them for a quarter of a minute.
    const isRead = isLong || !path.startsWith("/api/v1/");
    const schemes = isRead ? (["light", "dark"] as const) : [];
    for (const scheme of schemes) {
      test(`${path} is accessible in ${scheme} colours, fetches nothing from elsewhere and breaks no policy`, async () => {
        const { page, wrong } = await open(path, scheme);
        const [first] = await page.locator("details.operation").all();
        await first?.locator("summary").first().click();
        expect(await violationsOn(page)).toEqual([]);
        expect(wrong).toEqual([]);
        await page.close();
      });
    }

    test(`${path} fits a narrow screen`, async () => {
      const { page } = await open(path, "light", 390);
      for (const operation of (await page.locator("details.operation").all()).slice(0, 4)) {
        await operation.locator("summary").first().click();
      }
      expect(await overflowOf(page)).toBe(0);
      await page.close();
    });
  }

  test("tries requests out: signs up, signs in, and uses the token", async () => {
    const { page, wrong } = await open("/api/v2/docs#users.create", "light");
    const send = async (id: string) => {
      const operation = page.locator(`[id="${id}"]`);
      if ((await operation.getAttribute("open")) === null) await operation.locator("summary").first().click();
      await operation.getByRole("button", { name: "Send" }).click();
      const status = operation.locator("output .status");
      await status.waitFor();
      return status.textContent();
    };
    await page
      .locator('[id="users.create-body"]')
      .fill('{"name":"Ada","email":"ada@example.com","password":"correct horse battery"}');
    expect(await send("users.create")).toMatch(/^201/);
    await page.evaluate("location.hash = 'sessions.create'");
    await page
      .locator('[id="sessions.create-body"]')
      .fill('{"email":"ada@example.com","password":"correct horse battery"}');
    expect(await send("sessions.create")).toMatch(/^201/);
    await page.locator('[id="users.read"] summary').first().click();
    await page.locator('[id="users.read"] input[data-name="id"]').fill("me");
    await page.locator('[id="users.read"] input[data-name="fields"]').fill("name,subscription");
    expect(await send("users.read")).toMatch(/^200/);
    expect(await page.locator('[id="users.read"] output').textContent()).toContain('"name": "Ada"');
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("is used by keyboard alone: skips to the content, finds an operation, opens it", async () => {
    const { page } = await open("/api/v2/docs", "light");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.keyboard.press("/");
    await page.keyboard.type("get /posts/{id}");
    const found = page.locator("aside li:not([hidden])");
    expect(await found.allTextContents()).toContain("GETRead a post");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("details.operation[open]").first().waitFor();
    await page.close();
  });

  test("keeps the menu closed on a phone, and closes it again after a choice", async () => {
    const { page } = await open("/api/v2/docs", "light", 390);
    const menu = page.locator("#menu");
    const list = menu.getByText("Sign up", { exact: true });
    expect([await menu.getAttribute("open"), await list.isVisible()]).toEqual([null, false]);
    await menu.locator("summary").click();
    await list.click();
    await page.locator('[id="users.create"][open]').waitFor();
    expect([await menu.getAttribute("open"), await list.isVisible()]).toEqual([null, false]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await list.waitFor();
    expect(await menu.locator("summary").isVisible()).toBe(false);
    await page.close();
  });

  test("folds the list of what differs between the versions", async () => {
    const { page } = await open("/api/v2/docs", "light");
    const differences = page.locator("#differences + details");
    const entry = differences.locator("li").first();
    expect(await entry.isVisible()).toBe(false);
    await differences.locator("summary").click();
    expect(await entry.isVisible()).toBe(true);
    await page.close();
  });

  test("shows where the versions differ, and links one to the other", async () => {
    const { page } = await open("/api/v1/docs#posts.read", "light");
    const read = page.locator('[id="posts.read"]');
    expect(await read.textContent()).toContain("in v2 body");
    await page.getByRole("navigation").getByRole("link", { name: "v2" }).click();
    await page.waitForURL(`${url}/api/v2/docs`);
    expect(await page.locator('[id="posts.read"]').textContent()).toContain("it was content");
    await page.close();
  });

  test("shows the server's own origin, and the path at which it is mounted", async () => {
    const { page } = await open("/api/v2/docs", "light");
    expect(await page.locator("pre").first().textContent()).toContain(`${url}/api/v2/users`);
    await page.close();

    const below = createHttpServer(app, { basePath: "/postern" });
    const { url: origin } = await below.listen();
    const mounted = await context.newPage();
    await mounted.goto(`${origin}/postern/api/docs`);
    expect(await mounted.locator("pre").first().textContent()).toContain(`${origin}/postern/api/v1/users`);
    await mounted.close();
    await below.close({ graceMs: 0 });
  });

  test("runs no script but its own", async () => {
    const { page } = await open("/api/v2/docs", "light");
    await page
      .evaluate(
        `(() => { const script = document.createElement("script"); script.setAttribute("src", "data:text/javascript,window.injected=1"); document.head.append(script); })()`,
      )
      .catch(() => undefined);
    expect(await page.evaluate("window.injected")).toBeUndefined();
    await page.close();
  });
});
