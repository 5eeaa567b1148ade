import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { makeScene, people, type Scene, serveScene } from "../../scripts/console-scene.ts";
import { launchBrowser, openPage } from "../browser.ts";

export const isLong = process.env.POSTERN_TEST_LONG === "1";

// One server and one browser serve all tests: they are there once `startConsole` has resolved.
export let scene: Scene;
export let served: Awaited<ReturnType<typeof serveScene>>;
export let context: BrowserContext;

/** The console as its sources are now. */
const buildConsole = async (): Promise<void> => {
  const configFile = fileURLToPath(new URL("../../apps/console/vite.config.ts", import.meta.url));
  const { build } = await import(createRequire(configFile).resolve("vite"));
  await build({ configFile });
};

let profile: string | undefined;

export const startConsole = async (): Promise<void> => {
  await buildConsole();
  scene = await makeScene({ share: 0.2 });
  served = await serveScene(scene);
  profile = mkdtempSync(join(tmpdir(), "postern-browser-"));
  context = await launchBrowser(profile);
};

export const stopConsole = async (): Promise<void> => {
  await context?.close();
  await served?.stop();
  if (profile !== undefined) rmSync(profile, { recursive: true, force: true });
};

interface How {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
}

/** Opens a path of the console. */
export const open = (path: string, how: How = {}) =>
  openPage(context, { url: `${served.url}/console/${path}`, origin: served.url, scheme: "light", ...how });

/** Fills in the sign-in page. */
export const signIn = async (page: Page, who: keyof typeof people = "operator"): Promise<void> => {
  await page.getByLabel("Email").fill(people[who].email);
  await page.getByLabel("Password").fill(people[who].password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").waitFor({ state: "attached" });
};

/** Opens a path for somebody who signs in first. */
export const openAs = async (path: string, who: keyof typeof people, how: How = {}) => {
  await context.clearCookies();
  const opened = await open(path, how);
  await signIn(opened.page, who);
  return opened;
};
