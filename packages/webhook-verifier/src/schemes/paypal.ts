import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { type CertificateOptions, certificateSource } from "../keys/certificate-source.ts";
import { rsaPublicKey } from "../keys/public.ts";
import type { KeySource, Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";
import { formatTime, parseTime } from "../timestamps.ts";

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (IEEE 802.3) as an unsigned decimal. */
const crc32 = (bytes: Uint8Array): string => {
  let value = 0xffffffff;
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return String((value ^ 0xffffffff) >>> 0);
};

const hosts: readonly string[] = ["api.paypal.com", "api.sandbox.paypal.com"];

const isAddress = (host: string, path: string): boolean =>
  hosts.includes(host) && /^\/v1\/notifications\/certs\/[\w-]{1,128}$/.test(path);

/**
 * PayPal's signing certificates, fetched from PayPal's own hosts only. Give `roots` to have their
 * chain checked as well. Forged messages cause at most ten fetches a minute; see `keyLookup`.
 */
export const paypalCertificates = (options: CertificateOptions = {}): KeySource =>
  certificateSource({ isAddress, isName: (name) => /^(\*\.|[a-z0-9-]+\.)*paypal\.com$/.test(name) }, options);

const idPattern = /^[0-9A-Za-z-]{1,128}$/;

export const paypal: Scheme = {
  name: "paypal",
  title: "PayPal",
  credentials: ["header:paypal-transmission-sig"],
  key: rsaPublicKey("rsa-sha256"),
  toleranceSeconds: 262_800,
  covered: ["timestamp", "header:paypal-transmission-id"],
  id: "body:id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  data: "resource",
  metadata: { apiVersion: "body:resource_version" },
  repeats: [{ by: "signed-id", id: "header:paypal-transmission-id" }],
  settings: { webhookId: { about: "the id of your webhook, as PayPal's dashboard shows it", required: true } },
  read: ({ headers, body }, { settings }) => {
    const id = getHeader(headers, "paypal-transmission-id");
    const time = getHeader(headers, "paypal-transmission-time");
    if (!idPattern.test(id)) refuse("header_malformed", "The header paypal-transmission-id is not an id.");
    if (getHeader(headers, "paypal-auth-algo") !== "SHA256withRSA")
      refuse("header_malformed", "The header paypal-auth-algo is not SHA256withRSA.");
    const bytes =
      decodeBase64(getHeader(headers, "paypal-transmission-sig")) ??
      refuse("signature_malformed", "The header paypal-transmission-sig is not base64.");
    return [
      {
        signatures: [{ bytes }],
        signed: [`${id}|${time}|${settingOf(settings, "webhookId") ?? ""}|${crc32(body)}`],
        timestamp: parseTime(time, "iso"),
        keyId: getHeader(headers, "paypal-cert-url"),
      },
    ];
  },
  sign: async ({ body, id, timestamp, settings }, [key]) => {
    const time = formatTime(timestamp, "iso");
    const transmission = id.replaceAll("_", "-");
    const signature = await key.sign([
      `${transmission}|${time}|${settingOf(settings, "webhookId") ?? ""}|${crc32(body)}`,
    ]);
    return {
      headers: {
        "paypal-transmission-id": transmission,
        "paypal-transmission-time": time,
        "paypal-transmission-sig": encodeBase64(signature),
        "paypal-cert-url": key.id ?? "https://api.paypal.com/v1/notifications/certs/CERT",
        "paypal-auth-algo": "SHA256withRSA",
      },
    };
  },
};

export const facts: SchemeFacts = {
  headers: [
    "PAYPAL-TRANSMISSION-ID",
    "PAYPAL-TRANSMISSION-TIME",
    "PAYPAL-TRANSMISSION-SIG",
    "PAYPAL-CERT-URL",
    "PAYPAL-AUTH-ALGO",
  ],
  signed: "{header:paypal-transmission-id}|{timestamp}|{setting:webhookId}|{CRC-32 of the body}",
  encoding: "base64",
  keyFrom: "`paypalCertificates()`; the webhook id from the app's page in the PayPal developer dashboard.",
  confidence: "confirmed",
  source: "https://developer.paypal.com/api/rest/webhooks/rest/",
  repeats: {
    source: "https://developer.paypal.com/api/rest/webhooks/rest/",
    note: "Every signature counts once. The event's own id is held only by a CRC, which anybody can keep while changing it.",
  },
  notes: [
    "PayPal names no window and retries for three days; 73 hours are ours, so that no retry is refused.",
    "A CRC is not a digest: anybody who saw one delivery can make another body with the same CRC.",
  ],
};
