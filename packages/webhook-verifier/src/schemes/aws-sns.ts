import { textOf } from "#platform";
import { emptyAnswer } from "../answers.ts";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { jsonIn } from "../json.ts";
import {
  type CertificateOptions,
  type CertificateRules,
  certificateSource,
  certificateUrl,
} from "../keys/certificate-source.ts";
import type { Key } from "../keys/key.ts";
import { urlOn } from "../keys/key-set.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { KeySource, Scheme, SchemeFacts } from "../scheme.ts";
import { settingsOf } from "../settings.ts";
import { formatTime, parseTime } from "../timestamps.ts";

// SNS in a region: `us-east-1`, `us-gov-west-1`. The pattern is exact because other AWS names fit a
// loose one: anybody can own the bucket at `sns.s3-us-west-2.amazonaws.com`.
const sns = /^sns\.([a-z]{2}(?:-[a-z]{3,9}){1,2}-\d)\.amazonaws\.com(\.cn)?$/;

const isHost = (host: string): boolean => sns.test(host);

const isAddress: CertificateRules["isAddress"] = (host, path) =>
  isHost(host) && /^\/SimpleNotificationService(-[\w]{1,64})?\.pem$/.test(path);

/** The region in a topic's ARN: `arn:aws:sns:<region>:<account>:<name>`. */
const regionOf = (topic: string): string | undefined => topic.split(":")[3];

/**
 * AWS's signing certificates, fetched from SNS's own hosts only. Give `roots` to have their chain
 * checked as well. Forged messages cause at most ten fetches a minute; see `keyLookup`.
 */
export const snsCertificates = (options: CertificateOptions = {}): KeySource => {
  const source = certificateSource(
    { isAddress, isName: (name) => /^(\*\.|[a-z0-9-]+\.)*amazonaws\.com(\.cn)?$/.test(name) },
    options,
  );
  // One certificate serves both signature versions. The owner of a topic chooses one of them.
  const both = new WeakMap<Key, readonly Key[]>();
  return {
    find: async (keyId, at) =>
      (await source.find(keyId, at)).flatMap((key) => {
        const pair = both.get(key) ?? [
          { ...key, algorithm: "rsa-sha256" as const },
          { ...key, algorithm: "rsa-sha1" as const },
        ];
        both.set(key, pair);
        return pair;
      }),
  };
};

const algorithms: Readonly<Record<string, "rsa-sha1" | "rsa-sha256">> = { "1": "rsa-sha1", "2": "rsa-sha256" };

const confirmations: readonly string[] = ["SubscriptionConfirmation", "UnsubscribeConfirmation"];

const parse = (body: Uint8Array): unknown =>
  jsonIn(body) ?? refuse("body_malformed", "The body is not JSON: raw message delivery is not signed, switch it off.");

const field = (payload: unknown, name: string): string => {
  const value = at(payload, name);
  return typeof value === "string" && value !== ""
    ? value
    : refuse(name === "Signature" ? "signature_missing" : "body_malformed", `The body has no ${name}.`);
};

/**
 * The signed fields of a message's type, in byte order. The subject is among them only if there is
 * one.
 */
const namesFor = (payload: unknown, type: string): readonly string[] =>
  confirmations.includes(type)
    ? ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    : typeof at(payload, "Subject") === "string"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "Timestamp", "TopicArn", "Type"];

const contentOf = (payload: unknown, type: string): string =>
  namesFor(payload, type)
    .map((name) => {
      const value = name === "Subject" ? String(at(payload, name)) : field(payload, name);
      // Only the first field may contain line breaks. In any other field an attacker could move the
      // border to the next one.
      if (name !== "Message" && /[\r\n]/.test(value)) refuse("body_malformed", `The field ${name} holds a line break.`);
      return `${name}\n${value}\n`;
    })
    .join("");

const types: readonly string[] = ["Notification", ...confirmations];

export const awsSns: Scheme = {
  name: "aws-sns",
  title: "AWS SNS",
  headers: ["x-amz-sns-*"],
  credentials: [],
  key: rsaPublicKey("rsa-sha256", "rsa-sha1"),
  maxBodyBytes: 256 * 1024,
  toleranceSeconds: 3900,
  covered: [
    "id",
    "type",
    "timestamp",
    "field:Message",
    "field:Subject",
    "field:TopicArn",
    "field:SubscribeURL",
    "field:Token",
  ],
  id: "body:MessageId",
  type: "body:Type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  settings: { topics: { about: "the ARNs of the topics you accept", required: true, list: true } },
  read: ({ body }, { settings }) => {
    const payload = parse(body);
    const type = field(payload, "Type");
    if (!types.includes(type)) refuse("body_malformed", "The body is of no type that SNS signs.");
    const algorithm =
      algorithms[field(payload, "SignatureVersion")] ?? refuse("body_malformed", "The signature version is not known.");
    const bytes =
      decodeBase64(field(payload, "Signature")) ?? refuse("signature_malformed", "The signature is not base64.");
    const topic = field(payload, "TopicArn");
    const certUrl = field(payload, "SigningCertURL");
    // This is checked before any certificate is fetched: a forger must know one of your topics to
    // cause a fetch.
    if (!settingsOf(settings, "topics").includes(topic))
      refuse("claim_mismatch", "The message is of a topic that is not on the list.");
    // SNS signs in the topic's own region, so no invented region is ever called. AWS's SDK for Java
    // checks the same.
    if (certificateUrl(certUrl, isAddress)?.startsWith(`https://sns.${regionOf(topic)}.`) !== true)
      refuse("key_url_refused", "SigningCertURL is not an address of SNS in the topic's region.");
    return [
      {
        signatures: [{ bytes, algorithm }],
        signed: [contentOf(payload, type)],
        timestamp: parseTime(field(payload, "Timestamp"), "iso"),
        id: field(payload, "MessageId"),
        type,
        keyId: certUrl,
      },
    ];
  },
  handshakes: [{ by: "POST" }, { by: "POST", status: 502 }],
  handshake: async ({ body }, { verified, fetch }) => {
    if (fetch === undefined || textOf(body)?.includes("SubscriptionConfirmation") !== true) return undefined;
    const payload = await verified();
    if (at(payload, "Type") !== "SubscriptionConfirmation") return undefined;
    const address =
      urlOn(field(payload, "SubscribeURL"), isHost) ?? refuse("key_url_refused", "SubscribeURL is not SNS's.");
    const { status } = await fetch(address, { redirect: "error" });
    return emptyAnswer(status === 200 ? 200 : 502);
  },
  sign: async ({ headers, body, timestamp, id }, [key]) => {
    // Only objects can be signed inside. `parse` has refused everything that is not JSON.
    const message = {
      MessageId: id,
      Type: "Notification",
      Timestamp: formatTime(timestamp, "iso"),
      ...(parse(body) as Record<string, unknown>),
    };
    const region = regionOf(String(at(message, "TopicArn"))) ?? "us-east-1";
    const signed = {
      ...message,
      SignatureVersion: key.algorithm === "rsa-sha1" ? "1" : "2",
      Signature: encodeBase64(await key.sign([contentOf(message, message.Type)])),
      SigningCertURL: key.id ?? `https://sns.${region}.amazonaws.com/SimpleNotificationService.pem`,
    };
    return {
      headers: { "content-type": "text/plain; charset=UTF-8", ...headers },
      body: utf8(JSON.stringify(signed)),
    };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "the named fields of the message's type, a line for each name and value, in byte order",
  encoding: "base64",
  keyFrom: "`snsCertificates()`.",
  confidence: "confirmed",
  source: "https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
  handshake:
    "`SubscriptionConfirmation`: after signature and topic check `SubscribeURL` is fetched, if a `fetch` is given",
  repeats: {
    source: "https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html",
    confidence: "second-hand",
  },
  notes: [
    "Message attributes and `UnsubscribeURL` are not authenticated.",
    "A key given as text counts for signature version 2; for version 1 set its `algorithm` to `rsa-sha1`.",
    "Raw message delivery is not signed at all.",
    "SNS names no window. It retries for at most an hour; 65 minutes are ours, so that no retry is refused.",
    "Bodies have at most 256 kB, as SNS's messages do. JSON escapes take room: set `maxBodyBytes` if yours come close to that.",
  ],
};
