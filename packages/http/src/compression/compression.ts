import { AppError } from "@postern/core";
import type { RenderedAnswer } from "../answer/render.ts";
import type { Exchange } from "../exchange.ts";
import { acceptedCoding } from "../head/accept.ts";
import { headerOf } from "../head/headers.ts";
import type { HttpAnswer, HttpRequest } from "../http-request.ts";
import type { Coding, Compressor } from "./compressor.ts";
import type { KeptDocument } from "./kept-documents.ts";

const encoder = new TextEncoder();

/** A smaller answer fits into one or two packets anyway. */
const leastBytes = 1024;

/** For 64 KiB, brotli takes 0.2 ms and gzip 0.45 ms, which is less than it took to make the answer. */
const mostBytesNow = 64 * 1024;

/** Compresses answers for callers that accept it. All adapters share it through their gateway. */
export const createCompression = (compressor: Compressor) => {
  const { codings: available } = compressor;
  /** One document at a time: SQLite, password hashes and files need the other threads of the pool. */
  let isCompressing = false;

  const codedDocument = (coding: Coding, { bytes, coded }: KeptDocument): Promise<Uint8Array> | undefined => {
    const known = coded.get(coding);
    if (known !== undefined || isCompressing) return known;
    isCompressing = true;
    const made = compressor.compress(coding, bytes).finally(() => {
      isCompressing = false;
    });
    coded.set(coding, made);
    made.catch(() => coded.delete(coding));
    return made;
  };

  return {
    /**
     * Looks at the head of a request before any work is done for it, and returns the headers that the
     * API compares with its tags.
     * @throws AppError `not_acceptable` if the caller accepts neither an available coding nor plain
     * bytes.
     */
    readHead: (request: HttpRequest): HttpRequest["headers"] => {
      const { headers, method } = request;
      const { best, codings } = acceptedCoding(headerOf(request, "accept-encoding"), available);
      if (best === undefined) {
        throw new AppError("not_acceptable", {
          detail: `Answers are encoded as ${available.join(" or ")}, or not at all (identity); accept one of these.`,
        });
      }
      const isRead = method === "GET" || method === "HEAD";
      const sent = isRead ? headerOf(request, "if-none-match") : undefined;
      return sent === undefined ? headers : { ...headers, "if-none-match": tagsToCompare(sent, codings) };
    },
    /**
     * The answer in the coding that its caller prefers. A document is compressed once, and any other
     * answer at once. The answer stays plain if it is small, if it has more than 64 KiB and is no
     * document, or if it would not become smaller.
     */
    apply: (
      { request }: Exchange,
      answer: RenderedAnswer,
      document?: KeptDocument,
    ): HttpAnswer | Promise<HttpAnswer> => {
      const { headers, body, status } = answer;
      const { etag = '""' } = headers;
      headers.vary = headers.vary === undefined ? "Accept-Encoding" : `Accept-Encoding, ${headers.vary}`;
      const { best, plain, codings } = acceptedCoding(headerOf(request, "accept-encoding"), available);
      if (status === 304) {
        headers.etag = tagNotModified(etag, headerOf(request, "if-none-match"), codings);
        return answer;
      }
      const length = Number(headers["content-length"] ?? 0);
      const isSmall = length === 0 || (plain && length < leastBytes);
      const isLong = length > mostBytesNow && document === undefined;
      if (body === undefined) return answer;
      const unchanged = document === undefined ? answer : { ...answer, body: document.bytes };
      if (best === undefined || best === "identity" || isSmall || isLong) return unchanged;
      const coded = (bytes: Uint8Array): HttpAnswer => {
        if (plain && bytes.length >= length) return unchanged;
        headers["content-encoding"] = best;
        headers["content-length"] = String(bytes.length);
        headers.etag = codedTag(etag, best);
        return { status, headers, body: bytes };
      };
      if (document === undefined) return coded(compressor.compressNow(best, encoder.encode(body)));
      return codedDocument(best, document)?.then(coded, () => unchanged) ?? unchanged;
    },
  };
};

/**
 * The tag of an answer in a coding. A strong tag stands for bytes, so each coding needs one of its
 * own; the API takes the mark off again when it reads a tag (RFC 9110, section 8.8.3.3).
 */
export const codedTag = (tag: string, coding: Coding): string => `${tag.slice(0, -1)}-${coding}"`;

/**
 * The tag of a 304: the one that the caller has. If the caller has several tags of an answer, it is
 * the tag of the coding that the caller prefers. If the caller named no tag (`*`, or only a time),
 * it is the plain one.
 */
export const tagNotModified = (tag: string, sent: string | undefined, codings: readonly Coding[]): string =>
  codings.map((coding) => codedTag(tag, coding)).find((coded) => sent?.includes(coded) === true) ?? tag;

const coded = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*-(br|gzip)"/g;

/**
 * `If-None-Match` without the tags of codings that this request does not accept; in their place
 * stands a tag that no answer has. A shared cache sends the tags of everything that it keeps. A 304
 * for one of them could make it send bytes to a caller who cannot read them.
 */
export const tagsToCompare = (sent: string, codings: readonly Coding[]): string =>
  sent.replace(coded, (tag, coding: Coding) => (codings.includes(coding) ? tag : '"-"'));
