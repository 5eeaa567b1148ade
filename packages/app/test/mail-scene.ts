import type { AppOptions } from "@postern/app";
import { type Api, testApi } from "./api.ts";

export const password = "correct horse battery";
export const next = "another horse staple";
export const minute = 60_000;
export const accountPage = "https://api.example.com/api/account";

/** The app with mail, and a worker that sends it. */
export const mailScene = async (
  settings: AppOptions["settings"] = {},
  instead: Parameters<typeof testApi>[1] = {},
  more: Pick<
    AppOptions,
    "jobs" | "handlers" | "schedules" | "product" | "versions" | "deprecations" | "user" | "parts"
  > = {},
) => {
  const api = testApi({ ...more, settings: { rateLimits: "off", accountPage, ...settings } }, instead);
  const worker = api.app.worker({ name: "only", concurrency: 10 });
  await worker.start();
  const { call, ports } = api;
  const { sent } = ports.mailer;
  /** Looks for work until there is none. */
  const work = async () => {
    for (let looked = 0; looked < 5; looked += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
    }
  };
  const signIn = (email: string, given = password) => call("POST", "/sessions", { body: { email, password: given } });
  const mailsTo = (address: string) => sent.filter(({ to }) => to === address);
  /** The token in the newest mail to an address with a link for this purpose. */
  const tokenFor = (address: string, purpose: string): string =>
    mailsTo(address)
      .flatMap(({ text }) => new RegExp(`#${purpose}=(act_\\w+)`).exec(text)?.[1] ?? [])
      .at(-1) ?? "";
  const askForReset = (email: string) => call("POST", "/password-resets", { body: { email } });
  const setPassword = (token: string, given = next) =>
    call("POST", `/password-resets/${token}`, { body: { new_password: given } });
  return { ...api, worker, sent, signIn, mailsTo, tokenFor, askForReset, setPassword, work };
};

export const isLive = async ({ call }: Pick<Api, "call">, token: string) =>
  (await call("GET", "/users/me", { token })).status === 200;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The bytes of a secret, as an authenticator app reads it (RFC 4648, section 6). */
export const base32Bytes = (secret: string): Uint8Array => {
  const bits = [...secret].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
};
