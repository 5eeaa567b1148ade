import { rootedAnswer } from "../answer/rooted-answer.ts";
import type { Answer } from "../http-app.ts";
import type { Coding } from "./compressor.ts";

/** A text that is answered again and again, with its compressed forms. */
export interface KeptDocument {
  /** The text, with the root of its server in its paths. */
  readonly text: string;
  /** The same in UTF-8, made once for all of its answers. */
  readonly bytes: Uint8Array;
  /** The compressed bytes, or the work that makes them. */
  readonly coded: Map<Coding, Promise<Uint8Array>>;
}

const encoder = new TextEncoder();

/**
 * Keeps documents and pages for the next callers. A host may mount Postern below a path with
 * parameters, which callers choose, so their number is bounded. The one that was requested the
 * longest ago is dropped, and made again at its next request. The returned function finds the
 * document of a lasting answer; `undefined` if the answer does not last or has no tag.
 */
export const createKeptDocuments = (mostDocuments = 64, mostBytes = 16 * 1024 * 1024) => {
  const documents = new Map<string, KeptDocument>();
  let held = 0;
  return (root: string, answer: Answer): KeptDocument | undefined => {
    const tag = answer.headers?.etag;
    if (answer.isLasting !== true || tag === undefined) return undefined;
    const key = `${root} ${tag}`;
    let document = documents.get(key);
    // The most recently requested one stands last.
    if (document !== undefined) documents.delete(key);
    else {
      const { text } = rootedAnswer(root, answer);
      if (text === undefined || text.length > mostBytes) return undefined;
      document = { text, bytes: encoder.encode(text), coded: new Map() };
      held += document.bytes.length;
    }
    documents.set(key, document);
    for (const [oldest, { bytes }] of documents) {
      if (documents.size <= mostDocuments && held <= mostBytes) break;
      documents.delete(oldest);
      held -= bytes.length;
    }
    return document;
  };
};
