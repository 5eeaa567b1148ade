import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const required = process.env.POSTERN_REQUIRE_BROWSER === "1";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const pages = [
  "/api/v1/docs",
  "/api/v2/docs",
  "/api/changelog?format=html",
  "/api/deprecations?format=html",
  "/api/problems/precondition_failed?format=html",
];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Runs a script in the page, in an isolated world, so that the page's policy does not change. */
const violationsOn = async (page: Page): Promise<readonly Violation[]> => {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const run = `${axe}; axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html }) => ({ html })) }))))`;
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: run,
    contextId: executionContextId,
    awaitPromise: true,
  });
  await session.detach();
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return JSON.parse(String(result.value));
};

describe.skipIf(!required && !existsSync(executablePath))("the documentation in a browser", () => {
  const profile = mkdtempSync(join(tmpdir(), "postern-browser-"));
  let server: HttpServer;
  let url: string;
  let context: BrowserContext;

  beforeAll(async () => {
    const app = createApp({ ports: memoryPorts(), settings: { rateLimits: "off" } });
    server = createHttpServer(app);
    ({ url } = await server.listen());
    context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
    });
  });

  afterAll(async () => {
    await context?.close();
    await server?.close({ graceMs: 0 });
    rmSync(profile, { recursive: true, force: true });
  });

  /**
   * A page that records every fault: errors, violations of the policy, requests to other servers.
   */
  const open = async (path: string, scheme: "light" | "dark", width = 1280) => {
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") wrong.push(message.text());
    });
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(url)) wrong.push(`asked for ${request.url()}`);
    });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(url + path);
    return { page, wrong };
  };

  for (const path of pages) {
    for (const scheme of ["light", "dark"] as const) {
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
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
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
    expect(await found.allTextContents()).toContain("GET/posts/{id}");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("details.operation[open]").first().waitFor();
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

  test("shows the server's own origin", async () => {
    const { page } = await open("/api/v2/docs", "light");
    expect(await page.locator("pre").first().textContent()).toContain(`${url}/api/v2/users`);
    await page.close();
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
