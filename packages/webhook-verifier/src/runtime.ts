/**
 * The web-standard globals this package stands on. They exist in Node, Deno, Bun, browsers and edge runtimes alike, but
 * not in the type library of every program that compiles our sources, so their shape is written down here, as far as used.
 */
interface Runtime {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly URL: new (
    url: string,
    base?: string,
  ) => {
    readonly protocol: string;
    readonly hostname: string;
    readonly host: string;
    readonly port: string;
    readonly username: string;
    readonly password: string;
    readonly pathname: string;
    readonly search: string;
    readonly origin: string;
    readonly href: string;
    readonly hash: string;
  };
  readonly atob: (base64: string) => string;
  readonly btoa: (bytes: string) => string;
  readonly URLSearchParams: new (
    text: string,
  ) => Iterable<[name: string, value: string]> & { getAll(name: string): string[] };
}

// The cast only says what the paragraph above promises.
const runtime = globalThis as unknown as Runtime;

/** The platform's `URL`. Read in a call, so that bundlers can leave it out. */
export const URL = /* @__PURE__ */ (() => runtime.URL)();
/** An instance of the platform's URL. */
export type URL = InstanceType<Runtime["URL"]>;
/** The other way of `btoa`. Throws for what is not base64. */
export const atob = (base64: string): string => runtime.atob(base64);
/** Characters up to 255 as bytes in base64. */
export const btoa = (bytes: string): string => runtime.btoa(bytes);
/** The platform's `URLSearchParams`. */
export const URLSearchParams = /* @__PURE__ */ (() => runtime.URLSearchParams)();

const encoder = new runtime.TextEncoder();

/** Text as UTF-8 bytes. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** A value that may have to be waited for: node:crypto answers at once, WebCrypto later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value has to be waited for. By shape: a promise of another realm is one as well. */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<PromiseLike<T>> | undefined)?.then === "function";

/** Goes on with a value: now, or once it is there. */
export const after = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(value) ? value.then(next) : next(value);

/** Whether a value is an array of bytes, also one of another realm, which `instanceof` does not know. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]";
