import { URL, URLSearchParams } from "./runtime.ts";
import type { SenderAnswer } from "./scheme.ts";

/** Sends a text back in a form that no browser shows as a page. */
const nosniff = { "x-content-type-options": "nosniff" } as const;

/** 200 with plain text. */
export const textAnswer = (body: string, headers: Readonly<Record<string, string>> = {}): SenderAnswer => ({
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8", ...nosniff, ...headers },
  body,
});

/** 200 with JSON. */
export const jsonAnswer = (value: unknown): SenderAnswer => ({
  status: 200,
  headers: { "content-type": "application/json", ...nosniff },
  body: JSON.stringify(value),
});

/** A status and nothing else. */
export const emptyAnswer = (status: number, headers: Readonly<Record<string, string>> = {}): SenderAnswer => ({
  status,
  headers,
  body: "",
});

/**
 * A query parameter of a request's URL, which may be relative. `undefined` unless it occurs exactly
 * once.
 */
export const queryOf = (url: string | undefined, name: string): string | undefined => {
  if (url === undefined) return undefined;
  let search: string;
  try {
    search = new URL(url, "https://localhost").search;
  } catch {
    return undefined;
  }
  const [value, ...more] = new URLSearchParams(search).getAll(name);
  return more.length > 0 ? undefined : value;
};
