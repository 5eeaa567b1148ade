import { readFileSync, writeFileSync } from "node:fs";
import { settingsPage } from "./settings-page.ts";

const page = new URL("../../../docs/configuration.md", import.meta.url);
const source = (name: string): string => readFileSync(new URL(`../src/settings/${name}.ts`, import.meta.url), "utf8");

writeFileSync(page, settingsPage(readFileSync(page, "utf8"), source("settings"), source("senders")));
