import { expect, test } from "vitest";
import { isLong, openAs, served } from "./console.ts";

/** How soon things show, and how much comes for them. */
export const speed = (): void => {
  test.runIf(isLong)("100,000 events scroll without a long turn of the event loop", async () => {
    const { page } = await openAs("", "operator");
    const most = 100_000;
    const size = 10_000;
    await page.route(/\/api\/v2\/admin\/events\?/, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
      const data = Array.from({ length: size }, (_, at) => ({
        id: String(most - from - at),
        provider: "stripe",
        type: "invoice.paid",
        state: "processed",
        reason: null,
        received_at: "2026-11-28T12:00:00.000Z",
      }));
      return route.fulfill({ json: { data, page: { next_cursor: from + size < most ? String(from + size) : null } } });
    });
    await page.goto(`${served.url}/console/#/events`);
    await page.locator(".event-line").first().waitFor();
    const height = () => page.locator(".virtual").evaluate((list) => list.scrollHeight);
    await expect
      .poll(async () => {
        await page.locator(".virtual").evaluate((list) => list.scrollTo(0, list.scrollHeight));
        return height();
      })
      .toBe(most * 36);
    await page.evaluate(`globalThis.longest = 0;
      new PerformanceObserver((seen) => {
        for (const { duration } of seen.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
      }).observe({ type: "longtask" });`);
    for (let step = 0; step < 200; step += 1) {
      await page.locator(".virtual").evaluate((list, top) => list.scrollTo(0, top), step * 18_000);
    }
    expect(await page.locator(".event-line").count()).toBeLessThan(100);
    expect(await page.evaluate("globalThis.longest")).toBeLessThan(50);
    await page.close();
  });

  test("the first view needs few requests and few bytes, and each page after it comes at once", async () => {
    const { page } = await openAs("", "operator");
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.clearBrowserCache");
    const slow = { offline: false, latency: 40, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
    await session.send("Network.emulateNetworkConditions", slow);
    let bytes = 0;
    let requests = 0;
    session.on("Network.requestWillBeSent", () => {
      requests += 1;
    });
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const begun = performance.now();
    await page.reload({ waitUntil: "commit" });
    await page.locator(".sentence").waitFor();
    const first = { ms: performance.now() - begun, bytes, requests };
    await page.locator("main tbody tr").first().waitFor();
    const changes: number[] = [];
    for (const [name, whole] of [
      ["Events", ".views"],
      ["Senders", ".page-head"],
      ["Jobs", ".filters"],
    ] as const) {
      const at = performance.now();
      await page.getByRole("link", { name, exact: true }).first().click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await page.locator(whole).first().waitFor();
      changes.push(performance.now() - at);
    }
    // Milliseconds depend on what else the machine does; they are there to read.
    process.stdout.write(
      `first view at 1.6 Mbit/s: ${first.ms.toFixed(0)} ms, ${first.bytes} bytes, ${first.requests} requests; ` +
        `page changes: ${changes.map((ms) => ms.toFixed(0)).join(", ")} ms\n`,
    );
    expect(first.bytes).toBeLessThan(100_000);
    // One for each of ten senders comes beside the others.
    expect(first.requests).toBeLessThanOrEqual(24);
    await page.close();
  });
};
