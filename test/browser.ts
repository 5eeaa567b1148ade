import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Whether tests in a browser run here. `POSTERN_REQUIRE_BROWSER=1` makes a missing browser an error. */
export const hasBrowser = process.env.POSTERN_REQUIRE_BROWSER === "1" || existsSync(executablePath);

export const launchBrowser = (profile: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
  });

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Runs a script in the page, in an isolated world, so that the page's policy does not change. */
export const violationsOn = async (page: Page): Promise<readonly Violation[]> => {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const run = `${axe}; axe.run({ resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })
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

/** How many pixels a page is wider than the screen. */
export const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

interface Opened {
  readonly url: string;
  /** Requests to any other origin are faults. */
  readonly origin: string;
  readonly scheme: "light" | "dark";
  readonly width?: number;
}

/** A page that records every fault: errors, violations of the policy, requests to other servers. */
export const openPage = async (context: BrowserContext, { url, origin, scheme, width = 1280 }: Opened) => {
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("console", (message) => {
    // The browser reports the status of a page that shows an error.
    const isStatus = message.text().startsWith("Failed to load resource") && message.location().url === page.url();
    if (message.type() === "error" && !isStatus) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) wrong.push(`asked for ${request.url()}`);
  });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(url);
  return { page, wrong };
};
