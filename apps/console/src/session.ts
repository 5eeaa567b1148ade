import { signal } from "@preact/signals";
import type { Answer } from "./address.ts";
import { root } from "./root.ts";

/** The person who is signed in. */
export type Me = Pick<Answer<"/users/{id}">, "id" | "name" | "email" | "role" | "second_factor_at">;

/** What `/console/session` and `/console/setup` answer. */
interface SessionAnswer {
  readonly access_token?: string;
  readonly expires_in?: number;
  readonly environment?: string;
  readonly setup?: boolean;
  readonly challenge?: string;
  readonly fault?: string;
  readonly detail?: string;
}

/** `undefined` until the server has said whether this browser is signed in; null if it is not. */
export const me = signal<Me | null | undefined>(undefined);
export const environment = signal("");
/** Whether a link for the first administrator is open. */
export const setupIsOpen = signal(false);

/** The access token stays in this variable, and is renewed with the cookie, which no script can read. */
let token: { readonly text: string; readonly until: number } | undefined;
/** Whether the person has pressed anything since the last renewal: only then the session lasts longer. */
let isActive = true;
for (const kind of ["pointerdown", "keydown"]) {
  addEventListener(
    kind,
    () => {
      isActive = true;
    },
    { passive: true, capture: true },
  );
}

const post = async (path: "session" | "setup", fields: Record<string, string>): Promise<SessionAnswer> => {
  const response = await fetch(`${root}/console/${path}`, { method: "POST", body: new URLSearchParams(fields) });
  const answer: SessionAnswer = await response.json();
  if (answer.environment !== undefined) environment.value = answer.environment;
  if (answer.setup !== undefined) setupIsOpen.value = answer.setup;
  if (answer.access_token !== undefined) {
    token = { text: answer.access_token, until: Date.now() + ((answer.expires_in ?? 60) - 30) * 1000 };
  }
  return answer;
};

const readMe = async (): Promise<void> => {
  const response = await fetch(`${root}/api/v2/users/me?fields=id,name,email,role,second_factor_at`, {
    headers: { authorization: `Bearer ${token?.text}` },
  });
  me.value = response.ok ? await response.json() : null;
};

let renewing: Promise<void> | undefined;
const renew = (): Promise<void> => {
  renewing ??= (async () => {
    try {
      const answer = await post("session", isActive ? { step: "active" } : {});
      isActive = false;
      if (answer.access_token === undefined) {
        token = undefined;
        me.value = null;
      } else if (!me.value) await readMe();
    } finally {
      renewing = undefined;
    }
  })();
  return renewing;
};

/** Finds out whether this browser is signed in. */
export const start = renew;

/** A valid access token; `undefined` once the session has ended. */
export const accessToken = async (fresh = false): Promise<string | undefined> => {
  if (fresh || token === undefined || token.until < Date.now()) await renew();
  return token?.text;
};

/** The outcome of a step of a sign-in: nothing more to do, a code to ask for, or a fault to show. */
export type Outcome = { readonly done: true } | { readonly challenge?: string; readonly fault?: string };

const outcomeOf = async (answer: SessionAnswer): Promise<Outcome> => {
  if (answer.access_token === undefined) {
    return { challenge: answer.challenge, fault: answer.fault ?? answer.detail } as Outcome;
  }
  await readMe();
  // Without the cookie the first renewal would end everything, so it is said at once.
  if ((await post("session", {})).access_token === undefined) {
    token = undefined;
    me.value = null;
    return { fault: "Your browser did not keep the session. Open the console over HTTPS, or at localhost." };
  }
  return { done: true };
};

export const signIn = async (email: string, password: string): Promise<Outcome> =>
  outcomeOf(await post("session", { step: "sign-in", email, password }));

export const finishSignIn = async (challenge: string, code: string): Promise<Outcome> =>
  outcomeOf(await post("session", { step: "code", challenge, code }));

export const makeFirstAdministrator = async (fields: Record<string, string>): Promise<Outcome> =>
  outcomeOf(await post("setup", fields));

export const signOut = async (): Promise<void> => {
  await post("session", { step: "end" });
  token = undefined;
  me.value = null;
};

const rights: Readonly<Record<string, readonly string[]>> = {
  viewer: ["read"],
  operator: ["read", "reveal", "operate"],
  admin: ["read", "reveal", "operate", "administer"],
};

/** What the role allows. It only hides what the API would refuse. */
export const may = (what: "read" | "reveal" | "operate" | "administer"): boolean =>
  (rights[me.value?.role ?? ""] ?? ["read"]).includes(what);
