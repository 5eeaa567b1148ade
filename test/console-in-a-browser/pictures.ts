import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { openAs, served } from "./console.ts";

/** The pictures in the documentation. */
export const pictures = (): void => {
  test.runIf(process.env.POSTERN_WRITE_PICTURES === "1")("the pictures in the documentation", async () => {
    const { page } = await openAs("#/?over=day", "operator");
    await page.setViewportSize({ width: 1120, height: 700 });
    const take = (name: string) =>
      page.screenshot({ path: fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url)) });
    await page.locator(".plot").nth(3).waitFor();
    await page.locator("tbody tr").nth(6).waitFor();
    await take("console");
    await page.goto(`${served.url}/console/#/causes`);
    await page.setViewportSize({ width: 1120, height: 420 });
    await page.locator("tbody tr").nth(3).waitFor();
    await take("console-causes");
    await page.close();
  });
};
