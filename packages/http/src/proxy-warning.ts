import { isPrivate } from "./client-address.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpSettings } from "./options.ts";

/** So many requests of one private address in a minute are those of a proxy, or of a load test. */
const manyRequests = 1_000;
const minuteMs = 60_000;

/** What only a proxy adds. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/**
 * Returns a function that warns once when a proxy that was not declared hides the addresses of
 * callers. Many proxies add no header unless they are told to, so much of the traffic coming from
 * one private address counts as well.
 */
export const proxyWarning = ({ telemetry, trustProxy }: Pick<HttpSettings, "telemetry" | "trustProxy">) => {
  let warned = trustProxy !== 0;
  /** The address that most of the requests of this minute come from, if they come from one. */
  let usual = "";
  let lead = 0;
  let untilMs = 0;

  /** How many more requests of this minute are from this address than from all others. */
  const leadOf = (address: string): number => {
    const nowMs = performance.now();
    if (nowMs >= untilMs) {
      untilMs = nowMs + minuteMs;
      lead = 0;
    }
    if (lead === 0) usual = address;
    lead += usual === address ? 1 : -1;
    return usual === address ? lead : 0;
  };

  const warn = (address: string, message: string): void => {
    if (warned || !isPrivate(address)) return;
    warned = true;
    telemetry.log("warn", message, {
      address,
      hint: "if a proxy of your own is in front, have it send X-Forwarded-For, and set POSTERN_TRUST_PROXY (trustProxy) to the number of your proxies",
    });
  };

  return ({ headers }: Pick<HttpRequest, "headers">, address: string): void => {
    if (warned) return;
    if (proxyHeaders.some((name) => headers[name] !== undefined)) {
      warn(address, "requests come through a proxy, so all callers share its address and its limits");
    } else if (leadOf(address) >= manyRequests) {
      warn(address, "many requests come from one private address; behind a proxy, all callers share its limits");
    }
  };
};
