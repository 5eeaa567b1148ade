import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { overflowOf, violationsOn } from "../browser.ts";
import { context, isLong, open, openAs, served } from "./console.ts";

const built = fileURLToPath(new URL("../../apps/server/dist/console", import.meta.url));

const sizeOf = (ending: string): number =>
  readdirSync(join(built, "assets"))
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + gzipSync(readFileSync(join(built, "assets", name))).length, 0);

/** Pages, each with what shows that it is whole. */
const places: readonly (readonly [path: string, whole: string])[] = [
  ["#/", ".facts li"],
  ["#/?over=day", ".plot svg"],
  ["#/events", ".event-line"],
  ["#/events?state=dead", ".event-line"],
  ["#/causes", "tbody tr"],
  ["#/plans", ".empty, tbody tr"],
  ["#/senders", "tbody tr"],
  ["#/senders/stripe", "tbody tr"],
  ["#/jobs", "tbody tr"],
  ["#/queues", ".empty, tbody tr"],
  ["#/schedules", "tbody tr"],
  ["#/users", "tbody tr"],
  ["#/sessions", "tbody tr"],
  ["#/api-keys", ".empty, tbody tr"],
  ["#/clients", ".empty, tbody tr"],
  ["#/resources", "tbody tr"],
  ["#/resources/invoices", "tbody tr"],
  ["#/audit", "tbody tr"],
  ["#/versions", "tbody tr"],
  ["#/settings", ".empty"],
  ["#/api", "tbody tr"],
  ["#/account", "dl"],
  ["#/components", ".tree"],
];

/** What holds for every page: small files, both schemes, a phone, accessibility, the policy. */
export const pages = (): void => {
  test("its files are small", () => {
    expect(existsSync(join(built, "index.html"))).toBe(true);
    expect(sizeOf(".js")).toBeLessThan(60_000);
    expect(sizeOf(".css")).toBeLessThan(8_000);
  });

  test.each(["light", "dark"] as const)(
    "the sign-in page is accessible and breaks no policy, in %s colours",
    async (scheme) => {
      await context.clearCookies();
      const { page, wrong } = await open("", { scheme });
      await page.getByLabel("Email").waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toBe(0);
      expect(wrong).toEqual([]);
      await page.close();
    },
  );

  for (const scheme of ["light", "dark"] as const) {
    test(`every page is accessible, asks no other server, breaks no policy and fits a phone, in ${scheme} colours`, async () => {
      const { page, wrong } = await openAs("", "admin", { scheme });
      await page.goto(`${served.url}/console/#/events?state=dead`);
      const dead = await page.locator(".event-line").first().getAttribute("href");
      await page.goto(`${served.url}/console/#/causes`);
      const cause = await page.locator("tbody a").first().getAttribute("href");
      for (const [path, whole] of [...places, [dead ?? "", ".timeline"], [cause ?? "", "tbody tr, .empty"]] as const) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.goto(`${served.url}/console/${path}`);
        await page.locator(whole).first().waitFor();
        // Both schemes have the same elements. In dark colours axe reads the pages that have all of them.
        if (isLong || scheme === "light" || /^#\/(?:components|events\/\d+)?$/.test(path))
          expect(await violationsOn(page), path).toEqual([]);
        await page.setViewportSize({ width: 390, height: 844 });
        expect(await overflowOf(page), path).toBe(0);
      }
      expect(wrong).toEqual([]);
      await page.close();
    });
  }

  test("charts show the last hour, day and month, the same numbers as a table, and dash what is not over", async () => {
    const { page, wrong } = await openAs("#/?over=day", "viewer", { scheme: "dark" });
    const flow = page.locator(".chart").first();
    const whole = flow.getByRole("img", { name: /^Jobs that ended.* by the hour, in UTC\S*: Processed \d/ });
    const processed = Number(/Processed (\d+)/.exec(String(await whole.getAttribute("aria-label")))?.[1]);
    expect(processed).toBeGreaterThan(20);
    expect(await flow.locator("path.filling").count()).toBe(3);
    await flow.getByRole("button", { name: "Flow as a table" }).click();
    const cells = await flow.locator("tbody td:nth-child(2)").allInnerTexts();
    expect(cells.length).toBe(24);
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(processed);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Month", exact: true }).click();
    await expect.poll(() => flow.locator("tbody tr").count()).toBe(30);
    await flow.getByRole("button", { name: "Flow as a chart" }).click();
    await page.locator(".plot svg").first().hover();
    await expect.poll(() => flow.locator("figcaption .number").textContent()).toMatch(/^\d+ [A-Z][a-z]{2}$/);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("settings are found by their words, and say what sets them", async () => {
    const { page, wrong } = await openAs("", "admin");
    const shown = (name: string, value: unknown, origin: string, variable: string | null = null) => ({
      ...{ name, value, origin, variable },
      secret: value === "set",
    });
    await page.route(/\/admin\/settings$/, (route) =>
      route.fulfill({
        json: {
          data: [
            shown("POSTERN_JOBS", 20, "environment", "POSTERN_JOBS"),
            shown("POSTERN_METRICS_TOKEN", "set", "environment", "POSTERN_METRICS_TOKEN_FILE"),
            shown("POSTERN_BLOCK", "<script>alert(1)</script>", "environment", "POSTERN_BLOCK"),
            shown("limits.sessionSeconds", 3_600, "file"),
            shown("queues", { mail: { concurrency: 2 } }, "file"),
            shown("POSTERN_PUBLIC_URL", null, "default"),
          ],
        },
      }),
    );
    await page.goto(`${served.url}/console/#/settings`);
    await page.getByText("6 settings").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("cell", { name: "environment (POSTERN_METRICS_TOKEN_FILE)", exact: true }).waitFor();
    await page.getByText("<script>alert(1)</script>").waitFor();
    await page.getByLabel("Set by").selectOption("file");
    await page.getByText("2 of 6 settings").waitFor();
    await page.getByLabel("Words").fill("concurrency 2");
    await expect.poll(() => page.locator("tbody tr").allInnerTexts()).toHaveLength(1);
    expect(page.url()).toContain("origin=file");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
    expect(wrong).toEqual([]);
    await page.close();
  });
};
