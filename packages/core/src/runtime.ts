/**
 * The few web-standard globals that every runtime has and that hide no clock, no randomness and no
 * I/O. Core is compiled without the types of any platform, so their types are declared here, once.
 */
interface WebGlobals {
  readonly AbortController: new () => { readonly signal: AbortSignalLike; abort(reason?: unknown): void };
  readonly URL: new (text: string) => { readonly hostname: string };
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (label: "utf-8", options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
}

interface MinimalAbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * The platform's own `AbortSignal` if its types are loaded, so that you can pass it to `fetch`;
 * otherwise the part of it that core uses.
 */
export type AbortSignalLike = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Signal } }
  ? Signal
  : MinimalAbortSignal;

// The globals exist in every supported runtime; only their types are missing here.
const web = globalThis as unknown as WebGlobals;

export const newAbortController = () => new web.AbortController();
/**
 * The host of a URL in the one form that the URL standard gives it: `münchen.de` is
 * `xn--mnchen-3ya.de`, and invisible characters are gone (UTS 46).
 * @throws TypeError for a text that is no URL, and for a host that cannot be.
 */
export const hostOf = (url: string): string => new web.URL(url).hostname;
/** Decodes UTF-8; invalid bytes become U+FFFD. For people to read, never for parsing. */
export const utf8DecodeLossy = (bytes: Uint8Array): string =>
  new web.TextDecoder("utf-8", { fatal: false }).decode(bytes);
export const utf8Encode = (text: string): Uint8Array => new web.TextEncoder().encode(text);
/** @throws TypeError when the bytes are not UTF-8. */
export const utf8Decode = (bytes: Uint8Array): string => new web.TextDecoder("utf-8", { fatal: true }).decode(bytes);

/**
 * A value, or a promise of it. Use a plain value where you can: each promise costs as much as
 * hashing a small body.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  typeof (value as Partial<PromiseLike<Value>> | undefined)?.then === "function";
