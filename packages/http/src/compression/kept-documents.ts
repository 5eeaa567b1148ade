import type { Answer } from "../http-app.ts";
import { rootedAnswer } from "../rooted-answer.ts";
import type { Coding } from "./compressor.ts";

/** A text that is answered again and again, with everything that was made of it. */
export interface KeptDocument {
  /** With the root of its server in its paths. */
  readonly text: string;
  /** The compressed bytes, or the work that makes them. */
  readonly coded: Map<Coding, Promise<Uint8Array>>;
}

/**
 * Keeps what is made of lasting answers: documents and pages. The root is part of what a document is
 * known by. A host may mount Postern below a path with parameters, which callers choose, so this is
 * bounded: what was not asked for the longest is made again when it is.
 */
export interface KeptDocuments {
  /** `undefined` for an answer that does not last or has no tag to know it by. */
  of(root: string, answer: Answer): KeptDocument | undefined;
}

const mostDocuments = 64;

/** `mostCharacters` bounds the texts together; compressed, they add about a fifth. */
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
        // The newest stands last.
        documents.delete(key);
        documents.set(key, known);
        return known;
      }
      const { text } = rootedAnswer(root, answer);
      if (text === undefined || text.length > mostCharacters) return undefined;
      const made = { text, coded: new Map() };
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
