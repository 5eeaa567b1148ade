import { createHash, createHmac, randomUUID } from "node:crypto";
import { AppError, defineOperation, signedIn, z } from "@postern/server";

interface Bucket {
  /** `https://BUCKET.s3.REGION.amazonaws.com`, or the URL of a bucket in any storage that speaks S3. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const hmac = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** A URL with which anybody may send one request, until it expires (Signature Version 4, by query). */
export const presigned = (
  bucket: Bucket,
  method: string,
  key: string,
  sent: Record<string, string>,
  now: number,
  seconds: number,
) => {
  const { origin, host, pathname } = new URL(bucket.url);
  const path = [pathname.replace(/\/$/, ""), ...key.split("/").map(encoded)].join("/");
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), bucket.region, "s3", "aws4_request"];
  const headers = Object.entries({ ...sent, host }).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const signed = headers.map(([name]) => name).join(";");
  const facts = { Algorithm: "AWS4-HMAC-SHA256", Credential: [bucket.accessKeyId, ...scope].join("/"), Date: time };
  const query = Object.entries({ ...facts, Expires: String(seconds), SignedHeaders: signed })
    .map(([name, value]) => `X-Amz-${name}=${encoded(value)}`)
    .join("&");
  const lines = [method, path, query, ...headers.map((one) => one.join(":")), "", signed, "UNSIGNED-PAYLOAD"];
  const digest = createHash("sha256").update(lines.join("\n")).digest("hex");
  const secret: Uint8Array = Buffer.from(`AWS4${bucket.secretAccessKey}`);
  const signature = hmac(scope.reduce(hmac, secret), [facts.Algorithm, time, scope.join("/"), digest].join("\n"));
  return `${origin}${path}?${query}&X-Amz-Signature=${signature.toString("hex")}`;
};

/** Lets a user send one file to the bucket: `POST /uploads`. The file never passes this server. */
export const signUpload = (bucket: Bucket) =>
  defineOperation({
    id: "uploads.sign",
    method: "POST",
    path: "/uploads",
    summary: "Get a URL to send a file to",
    access: signedIn,
    input: z.object({ type: z.enum(["image/png", "application/pdf"]), bytes: z.int().min(1).max(10_000_000) }),
    output: z.object({ key: z.string(), url: z.string(), headers: z.record(z.string(), z.string()) }),
    handle: async ({ caller, body, now }) => {
      if (caller === undefined) throw new AppError("forbidden", { detail: "Only users send files." });
      const key = `${caller.userId}/${randomUUID()}`;
      const headers = { "content-length": String(body.bytes), "content-type": body.type };
      return { key, url: presigned(bucket, "PUT", key, headers, now(), 300), headers };
    },
  });
