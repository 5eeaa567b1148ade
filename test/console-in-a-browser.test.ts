import { afterAll, beforeAll, describe } from "vitest";
import { hasBrowser } from "./browser.ts";
import { startConsole, stopConsole } from "./console-in-a-browser/console.ts";
import { events } from "./console-in-a-browser/events.ts";
import { pages } from "./console-in-a-browser/pages.ts";
import { pictures } from "./console-in-a-browser/pictures.ts";
import { speed } from "./console-in-a-browser/speed.ts";
import { triage } from "./console-in-a-browser/triage.ts";
import { writes } from "./console-in-a-browser/writes.ts";

// One file, because its parts share the build, the day of traffic and the browser.
describe.skipIf(!hasBrowser)("the console in a browser", { timeout: 180_000 }, () => {
  beforeAll(startConsole, 180_000);
  afterAll(stopConsole);

  describe("every page", pages);
  describe("events and their causes", events);
  describe("triage", triage);
  describe("what each role may change", writes);
  describe("how soon it shows", speed);
  describe("pictures", pictures);
});
