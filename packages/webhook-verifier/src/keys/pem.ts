import { decodeBase64 } from "../base64.ts";

/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** `PUBLIC KEY`, `CERTIFICATE`, … */
  readonly label: string;
  readonly der: Uint8Array;
}

/**
 * Every block of a PEM text, in order; empty if there is none. Line breaks may be real or written
 * as `\n`.
 */
export const readPem = (text: string): readonly PemBlock[] => {
  const blocks: PemBlock[] = [];
  const pattern = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
  for (const [, label = "", lines = ""] of text.replaceAll("\\n", "\n").matchAll(pattern)) {
    const der = decodeBase64(lines.replace(/\s+/g, ""));
    if (der !== undefined) blocks.push({ label, der });
  }
  return blocks;
};
