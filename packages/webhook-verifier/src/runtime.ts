/**
 * The web-standard globals this package stands on. They exist in Node, Deno, Bun, browsers and edge runtimes alike, but
 * not in the type library of every program that compiles our sources, so their shape is written down here, as far as used.
 */
interface Runtime {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
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
}

// The cast only says what the paragraph above promises.
const runtime = globalThis as unknown as Runtime;

/** The platform's `URL`. */
export const URL = runtime.URL;
/** An instance of the platform's URL. */
export type URL = InstanceType<Runtime["URL"]>;

const encoder = new runtime.TextEncoder();
const decoder = new runtime.TextDecoder("utf-8", { fatal: true });

/** Text as UTF-8 bytes. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Bytes as text, or `undefined` when they are not valid UTF-8. Never replaces a byte. */
export const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** A value that may have to be waited for: node:crypto answers at once, WebCrypto later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value has to be waited for. By shape: a promise of another realm is one as well. */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<PromiseLike<T>> | undefined)?.then === "function";

/** Whether a value is an array of bytes, also one of another realm, which `instanceof` does not know. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]";
