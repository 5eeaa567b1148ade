// Loaded into a server under siege, before its own modules; see mechanisms.ts.
import { register } from "node:module";

register("./hook.mjs", import.meta.url, { data: JSON.parse(process.env.SIEGE_WITHOUT ?? "[]") });
