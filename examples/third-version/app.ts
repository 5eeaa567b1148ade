import { builtInVersions, createApp } from "@postern/app";
import type { Ports } from "@postern/core";
import { note } from "./note.ts";
import { v3 } from "./v3.ts";

/** An application that serves three versions of its API out of one. */
export const threeVersions = (ports: Ports) =>
  createApp({ ports, resources: [note], versions: [...builtInVersions, v3], settings: { rateLimits: "off" } });
