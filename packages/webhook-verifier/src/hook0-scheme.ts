import { refuse } from "./errors.ts";
import { checkListed, getHeader, twice } from "./headers.ts";
import { decodeHex, encodeHex } from "./hex.ts";
import { textSecret } from "./keys/secret.ts";
import type { Piece } from "./platform/contract.ts";
import { signedId, unsignedId } from "./repeat-rules.ts";
import type { Covered, Scheme } from "./scheme.ts";
import { formatTime, parseTime } from "./timestamps.ts";

const header = "x-hook0-signature";

interface Parts {
  readonly timestamp: string;
  readonly names: readonly string[] | undefined;
  readonly v1: string | undefined;
  readonly v0: string | undefined;
}

const readParts = (value: string): Parts => {
  const parts = new Map<string, string>();
  for (const pair of value.split(",")) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(equals, 0)).trim();
    if (parts.has(name)) twice(header);
    parts.set(name, pair.slice(equals + 1).trim());
  }
  return {
    timestamp: parts.get("t") ?? refuse("header_malformed", `${header} has no t.`),
    names: parts
      .get("h")
      ?.split(" ")
      .filter((name) => name !== ""),
    v1: parts.get("v1"),
    v0: parts.get("v0"),
  };
};

/** The scheme of Hook0 and of senders built on it. They differ only in their names. */
export const hook0Scheme = (name: string, title: string): Scheme => ({
  name,
  title,
  key: textSecret("hmac-sha256"),
  toleranceSeconds: 300,
  covered: ["timestamp", "body"],
  json: "usual",
  credentials: [`header:${header}`],
  id: "header:x-event-id",
  type: "header:x-event-type",
  promises: { id: "promised", type: "promised" },
  // A `v0` covers no headers.
  repeats: [signedId, unsignedId()],
  read: ({ headers, body }) => {
    const { timestamp, names, v1, v0 } = readParts(getHeader(headers, header));
    const written = v1 ?? v0 ?? refuse("signature_missing", `${header} has neither v1 nor v0.`);
    const bytes = decodeHex(written) ?? refuse("signature_malformed", `${header} is not in hex.`);
    const time = parseTime(timestamp, "s");
    // A message with v1 is never checked by v0: otherwise an attacker could remove what v1 covers.
    if (v1 === undefined) return [{ signatures: [{ bytes }], signed: [`${timestamp}.`, body], timestamp: time }];
    const listed = names ?? refuse("header_malformed", `${header} has v1 but no h.`);
    const lower = listed.map((listedName) => listedName.toLowerCase());
    checkListed(lower, header);
    const values = lower.map((listedName) => getHeader(headers, listedName));
    // A full stop in the id would let an attacker move its border, and change the dedupe key.
    const id = values[lower.indexOf("x-event-id")];
    if (id?.includes(".") === true) refuse("header_malformed", "x-event-id holds a full stop.");
    const signed: Piece[] = [`${timestamp}.${listed.join(" ")}.${values.join(".")}.`, body];
    const covered: Covered[] = ["timestamp", "body", ...lower.map((listedName) => `header:${listedName}` as const)];
    if (lower.includes("x-event-id")) covered.push("id");
    if (lower.includes("x-event-type")) covered.push("type");
    return [{ signatures: [{ bytes }], signed, timestamp: time, covered }];
  },
  sign: async ({ body, id, type, timestamp }, [key]) => {
    const written = formatTime(timestamp, "s");
    const names = "x-event-id x-event-type";
    const sent = { "x-event-id": id, "x-event-type": type ?? "event" };
    const content = `${written}.${names}.${id}.${sent["x-event-type"]}.`;
    const signature = encodeHex(await key.sign([content, body]));
    return { headers: { ...sent, [header]: `t=${written},h=${names},v1=${signature}` } };
  },
});
