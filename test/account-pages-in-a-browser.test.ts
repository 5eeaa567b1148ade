import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, launchBrowser, openPage, overflowOf, violationsOn } from "./browser.ts";
import { freePort } from "./free-port.ts";

const back = "https://app.example.com/back";
const credentials = { email: "ada@example.com", password: "correct horse battery" };

const signIn = async (page: Page, password = credentials.password): Promise<void> => {
  await page.getByLabel("Email").fill(credentials.email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForLoadState();
};

/** The look that pages share: colours and type. */
const lookOf = (page: Page): Promise<unknown> =>
  page.evaluate(
    `(() => { const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
      const header = getComputedStyle(document.querySelector("header")).backgroundColor;
      return { backgroundColor, color, fontFamily, header }; })()`,
  );

describe.skipIf(!hasBrowser)("the pages for the people with accounts, in a browser", { timeout: 120_000 }, () => {
  const profile = mkdtempSync(join(tmpdir(), "postern-browser-"));
  let server: HttpServer;
  let url: string;
  let link: string;
  let context: BrowserContext;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const app = createApp({ ports: memoryPorts(), settings: { rateLimits: "off", issuer: url } });
    await app.prepareDocuments();
    server = createHttpServer(app, { publicUrl: url });
    await server.listen({ port });
    const run = async (operation: string, body: object): Promise<string> => {
      const principal = { kind: "operator", name: "test" } as const;
      const { body: made } = await app.run({ operation, principal, body });
      return String(Object(made).id);
    };
    const scopes = ["posts:read", "posts:write"];
    const user_id = await run("users.create", { name: "Ada", ...credentials });
    const client_id = await run("admin.clients.create", { name: "Ledger", user_id, scopes, redirect_uris: [back] });
    const asked = {
      response_type: "code",
      client_id,
      redirect_uri: back,
      code_challenge: createHash("sha256").update("verifier").digest("base64url"),
      code_challenge_method: "S256",
    };
    link = `${url}/oauth/authorize?${new URLSearchParams(asked)}`;
    context = await launchBrowser(profile);
    await context.route("https://app.example.com/**", (route) => route.fulfill({ body: "back at the client" }));
  }, 120_000);

  afterAll(async () => {
    await context?.close();
    await server?.close({ graceMs: 0 });
    rmSync(profile, { recursive: true, force: true });
  });

  const pages: readonly (readonly [what: string, path: () => string, act?: (page: Page) => Promise<void>])[] = [
    ["the sign-in page", () => link],
    ["the sign-in page after a wrong password", () => link, (page) => signIn(page, "wrong")],
    ["the consent page", () => link, signIn],
    ["the page for a link that does not work", () => `${url}/oauth/authorize?client_id=x`],
    ["the account page without a link", () => `${url}/api/account`],
    ["the account page for a new password", () => `${url}/api/account#reset=act_x`],
  ];

  for (const [what, address, act] of pages) {
    for (const scheme of ["light", "dark"] as const) {
      test(`${what} looks like the documentation, is accessible, and asks no other server, in ${scheme} colours`, async () => {
        await context.clearCookies();
        const { page: docs } = await openPage(context, {
          url: `${url}/api/changelog?format=html`,
          origin: url,
          scheme,
        });
        const look = await lookOf(docs);
        await docs.close();
        const { page, wrong } = await openPage(context, { url: address(), origin: url, scheme });
        await act?.(page);
        expect(await lookOf(page)).toEqual(look);
        expect(await violationsOn(page)).toEqual([]);
        await page.setViewportSize({ width: 390, height: 844 });
        expect(await overflowOf(page)).toBe(0);
        expect(wrong).toEqual([]);
        await page.close();
      });
    }
  }

  test("a user reads in words what a client may do, allows it, and gets back to the client", async () => {
    await context.clearCookies();
    const { page } = await openPage(context, { url: link, origin: url, scheme: "light", width: 390 });
    await signIn(page);
    expect(await page.locator("li").allInnerTexts()).toEqual([
      "See posts\nposts:read",
      "Make, change and delete posts\nposts:write",
    ]);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${back}?code=*`);
    expect(await page.locator("body").textContent()).toBe("back at the client");
    await page.close();
  });

  test("the box and its words are on one line of the account page", async () => {
    const { page } = await openPage(context, {
      url: `${url}/api/account#reset=act_x`,
      origin: url,
      scheme: "light",
      width: 390,
    });
    const box = await page.getByLabel("End all API keys").boundingBox();
    const label = await page.locator("label.check").boundingBox();
    expect(box?.width).toBeLessThan(30);
    expect(label?.height).toBeLessThan(40);
    await page.close();
  });
});
