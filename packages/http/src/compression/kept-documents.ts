import type { Answer } from "../http-app.ts";
import { rootedAnswer } from "../rooted-answer.ts";
import { utf8Length } from "../utf8-length.ts";
import type { Coding } from "./compressor.ts";

/** A text that is answered again and again, with its compressed forms. */
export interface KeptDocument {
  /** The text, with the root of its server in its paths. */
  readonly text: string;
  /** The length of the text in UTF-8, counted once: for a megabyte that takes 0.1 ms or more. */
  readonly length: number;
  /**
   * The text in UTF-8, made once, so that an answer that waits for its reader takes no memory of
   * its own.
   */
  bytes(): Uint8Array;
  /** The compressed bytes, or the work that makes them. */
  readonly coded: Map<Coding, Promise<Uint8Array>>;
}

/**
 * Keeps the compressed forms of lasting answers: documents and pages. The root is part of a
 * document's key. A host may mount Postern below a path with parameters, which callers choose, so
 * the number of documents is bounded. The least recently requested one is dropped, and made again
 * at its next request.
 */
export interface KeptDocuments {
  /** `undefined` for an answer that does not last or has no tag. */
  of(root: string, answer: Answer): KeptDocument | undefined;
}

const mostDocuments = 64;
const encoder = new TextEncoder();

/**
 * `mostCharacters` bounds all texts together. Their bytes take as much again, and their compressed
 * forms about a fifth.
 */
export const createKeptDocuments = (mostCharacters: number): KeptDocuments => {
  const documents = new Map<string, KeptDocument>();
  let characters = 0;

  const drop = (key: string, { text }: KeptDocument): void => {
    documents.delete(key);
    characters -= text.length;
  };

  return {
    of: (root, answer) => {
      const tag = answer.headers?.etag;
      if (answer.isLasting !== true || tag === undefined) return undefined;
      const key = `${root} ${tag}`;
      const known = documents.get(key);
      if (known !== undefined) {
        // The most recently requested one stands last.
        documents.delete(key);
        documents.set(key, known);
        return known;
      }
      const { text } = rootedAnswer(root, answer);
      if (text === undefined || text.length > mostCharacters) return undefined;
      let bytes: Uint8Array | undefined;
      const made: KeptDocument = {
        text,
        length: utf8Length(text),
        bytes: () => {
          bytes ??= encoder.encode(text);
          return bytes;
        },
        coded: new Map(),
      };
      documents.set(key, made);
      characters += text.length;
      for (const [oldest, document] of documents) {
        if (documents.size <= mostDocuments && characters <= mostCharacters) break;
        drop(oldest, document);
      }
      return made;
    },
  };
};
