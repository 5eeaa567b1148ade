import {
  createHash,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  timingSafeEqual,
  verify,
} from "node:crypto";

/** A request as a server receives it. Header names are in lower case. */
export interface Incoming {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type ByHand = (request: Incoming) => boolean;

/** One scheme: keys for both sides, what the message needs in addition, and the check by hand. */
export interface Case {
  readonly keys: unknown;
  readonly signing?: unknown;
  readonly settings?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 1 KiB of JSON. */
  readonly body?: string;
  readonly byHand: ByHand;
}

export const url = "https://hooks.example.com/in?source=sender";
export const text = "a secret of a good length for this";
export const textKey = createSecretKey(Buffer.from(text));
export const hexText = "07".repeat(32);
export const hexKey = createSecretKey(Buffer.from(hexText, "hex"));
const whsec = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export const filled = (start: object): string => {
  const made = JSON.stringify({ ...start, data: "" });
  return JSON.stringify({ ...start, data: "x".repeat(Math.max(0, 1024 - made.length)) });
};
export const body = filled({ id: "evt_1", type: "thing.made" });

export const inWindow = (epochMs: number, seconds: number): boolean => Math.abs(Date.now() - epochMs) <= seconds * 1000;
export const same = (expected: Buffer, given: string, encoding: BufferEncoding): boolean => {
  const bytes = Buffer.from(given, encoding);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
};

interface Hmac {
  readonly header: string;
  readonly prefix?: string;
  readonly encoding?: "hex" | "base64";
  readonly hash?: string;
  readonly key?: string;
  /** The header of the time, its unit, and the window in seconds. */
  readonly time?: readonly [header: string, unit: "s" | "ms" | "iso", window: number];
  /** The text before and after the body. */
  readonly before?: (time: string, request: Incoming) => string;
  readonly after?: (time: string, request: Incoming) => string;
}

const msOf = (written: string, unit: "s" | "ms" | "iso"): number =>
  unit === "iso" ? Date.parse(written) : Number(written) * (unit === "s" ? 1000 : 1);

export const hmac = (wish: Hmac): Case => {
  const { header, prefix = "", encoding = "hex", hash = "sha256", key = text, time, before, after } = wish;
  const secret = key === hexText ? hexKey : createSecretKey(Buffer.from(key));
  return {
    keys: key,
    byHand: (request) => {
      const signature = request.headers[header] ?? "";
      if (!signature.startsWith(prefix)) return false;
      const written = time === undefined ? "" : (request.headers[time[0]] ?? "");
      if (time !== undefined && !inWindow(msOf(written, time[1]), time[2])) return false;
      const state = createHmac(hash, secret);
      if (before !== undefined) state.update(before(written, request));
      state.update(request.body);
      if (after !== undefined) state.update(after(written, request));
      return same(state.digest(), signature.slice(prefix.length), encoding);
    },
  };
};

/** `t=…,v1=…` in one header. */
export const pairs = (
  header: string,
  names: readonly [string, string],
  wish: { separator?: string; unit?: "s" | "ms"; window: number; between: string; noTime?: boolean },
): Case => ({
  keys: text,
  byHand: ({ headers, body: raw }) => {
    let time = "";
    const signatures: string[] = [];
    for (const pair of (headers[header] ?? "").split(wish.separator ?? ",")) {
      const [name = "", value = ""] = pair.trim().split("=");
      if (name === names[0]) time = value;
      else if (name === names[1]) signatures.push(value);
    }
    if (wish.noTime !== true && !inWindow(msOf(time, wish.unit ?? "s"), wish.window)) return false;
    const state = createHmac("sha256", textKey);
    if (wish.noTime !== true) state.update(`${time}${wish.between}`);
    const expected = state.update(raw).digest();
    return signatures.some((signature) => same(expected, signature, "hex"));
  },
});

export const standard = (prefix: string): Case => {
  const secret = createSecretKey(Buffer.alloc(32, 7));
  return {
    keys: whsec,
    byHand: ({ headers, body: raw }) => {
      const time = headers[`${prefix}-timestamp`] ?? "";
      if (!inWindow(Number(time) * 1000, 300)) return false;
      const expected = createHmac("sha256", secret)
        .update(`${headers[`${prefix}-id`]}.${time}.`)
        .update(raw)
        .digest();
      return (headers[`${prefix}-signature`] ?? "")
        .split(" ")
        .some((entry) => entry.startsWith("v1,") && same(expected, entry.slice(3), "base64"));
    },
  };
};

export const token = (header: string, prefix = ""): Case => {
  const expected = Buffer.from(text);
  return { keys: text, byHand: ({ headers }) => same(expected, (headers[header] ?? "").slice(prefix.length), "utf8") };
};

export const hook0: Case = {
  keys: text,
  byHand: ({ headers, body: raw }) => {
    const parts = Object.fromEntries((headers["x-hook0-signature"] ?? "").split(",").map((pair) => pair.split("=", 2)));
    if (!inWindow(Number(parts.t) * 1000, 300)) return false;
    const values = String(parts.h)
      .split(" ")
      .map((name) => headers[name]);
    const state = createHmac("sha256", textKey)
      .update(`${parts.t}.${parts.h}.${values.join(".")}.`)
      .update(raw);
    return same(state.digest(), String(parts.v1), "hex");
  },
};

export const pem = (key: KeyObject): string =>
  key.export({ format: "pem", type: key.type === "private" ? "pkcs8" : "spki" }).toString();
export const ed = generateKeyPairSync("ed25519");
export const p256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const p521 = generateKeyPairSync("ec", { namedCurve: "secp521r1" });
export const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A public-key signature over text, body and text. */
export const asymmetric = (
  pair: Pair,
  header: string,
  encoding: "hex" | "base64",
  hash: string | null,
  wish: {
    before?: (headers: Incoming["headers"]) => string;
    content?: (request: Incoming) => Buffer;
    time?: (headers: Incoming["headers"]) => number;
    window?: number;
  } = {},
): Case => ({
  keys: { key: pem(pair.publicKey), id: "k1" },
  signing: { key: pem(pair.privateKey), id: "k1" },
  byHand: (request) => {
    const { headers, body: raw } = request;
    if (wish.time !== undefined && !inWindow(wish.time(headers), wish.window ?? 300)) return false;
    const content =
      wish.content !== undefined
        ? wish.content(request)
        : wish.before === undefined
          ? raw
          : Buffer.concat([Buffer.from(wish.before(headers)), raw]);
    return verify(hash, content, pair.publicKey, Buffer.from(headers[header] ?? "", encoding));
  },
});

const part = (value: string): Record<string, unknown> => JSON.parse(Buffer.from(value, "base64url").toString());
export const jws = (
  written: string,
  detached: Buffer | undefined,
  hash: string,
  key: KeyObject,
): Record<string, unknown> | undefined => {
  const [head = "", payload = "", signature = ""] = written.split(".");
  if (part(head).kid !== "k1") return undefined;
  const middle = detached === undefined ? payload : detached.toString("base64url");
  const options = key.asymmetricKeyType === "ec" ? ({ key, dsaEncoding: "ieee-p1363" } as const) : key;
  const right = verify(hash, Buffer.from(`${head}.${middle}`), options, Buffer.from(signature, "base64url"));
  return right ? (detached === undefined ? part(payload) : part(head)) : undefined;
};
export const sha256 = (raw: Buffer): string => createHash("sha256").update(raw).digest("hex");

export const adyenFields = ["pspReference", "originalReference", "merchantAccountCode", "merchantReference"];
export const snsFields = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
export const crc32 = (bytes: Buffer): number => {
  let value = 0xffffffff;
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
};
export const snsUrl = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem";
export const paypalUrl = "https://api.paypal.com/v1/notifications/certs/CERT-1";
