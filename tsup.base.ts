import type { Options } from "tsup";

/**
 * What every package's build shares: ESM and its types, resolved against the built form of its workspace dependencies
 * (turbo builds those first). There are no source maps: they were half of what a user downloaded.
 */
export const library = (entry: Record<string, string>, more: Options = {}): Options => ({
  entry,
  format: ["esm"],
  target: "node20.19",
  platform: "node",
  outDir: "dist",
  clean: true,
  splitting: true,
  dts: { compilerOptions: { customConditions: [], noEmit: false } },
  ...more,
});
