/**
 * Bytes that `fetch` and `Request` take as a body. Since TypeScript 5.7 this is
 * `Uint8Array<ArrayBuffer>`.
 */
export type OwnBytes = ReturnType<Uint8ArrayConstructor["of"]>;

/**
 * The web-standard globals that this package needs. Node, Deno, Bun, browsers and edge runtimes all
 * have them. The type library of a program that compiles these sources may lack them, so the parts
 * that are used are declared here.
 */
interface Runtime {
  readonly TextEncoder: new () => { encode(text: string): OwnBytes };
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

// The cast only states what the paragraph above promises.
const runtime = globalThis as unknown as Runtime;

/** The platform's `URL`. It is read inside a call, so that bundlers can leave it out. */
export const URL = /* @__PURE__ */ (() => runtime.URL)();
/** An instance of the platform's URL. */
export type URL = InstanceType<Runtime["URL"]>;
/** The inverse of `btoa`. It throws for anything but base64. */
export const atob = (base64: string): string => runtime.atob(base64);
/** Encodes characters up to 255 as bytes in base64. */
export const btoa = (bytes: string): string => runtime.btoa(bytes);
/** The platform's `URLSearchParams`. */
export const URLSearchParams = /* @__PURE__ */ (() => runtime.URLSearchParams)();

const encoder = new runtime.TextEncoder();

/** Text as UTF-8 bytes. */
export const utf8 = (text: string): OwnBytes => encoder.encode(text);

/** A value, or a promise of it. node:crypto answers at once, WebCrypto later. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Whether a value is a promise. It tests the shape, because a promise of another realm is one as
 * well.
 */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<PromiseLike<T>> | undefined)?.then === "function";

/** Continues with a value: now, or when its promise resolves. */
export const after = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(value) ? value.then(next) : next(value);

/** The built-in class of a value. It recognises those of other realms, which `instanceof` does not. */
const classOf = (value: unknown): string => ({}).toString.call(value);

/** Whether a value is an array of bytes. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || classOf(value) === "[object Uint8Array]";

/** Whether a value is an `ArrayBuffer`: bytes that one reads through an array. */
export const isBuffer = (value: unknown): value is ArrayBuffer => classOf(value) === "[object ArrayBuffer]";
