import { builtInVersions, createApp } from "@postern/app";
import type { Ports } from "@postern/core";
import { note } from "./note.ts";
import { v3 } from "./v3.ts";

/** One application that serves three versions of its API. */
export const threeVersions = (ports: Ports) =>
  createApp({ ports, resources: [note], versions: [...builtInVersions, v3], settings: { rateLimits: "off" } });
