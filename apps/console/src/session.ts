import { signal } from "@preact/signals";
import type { Answer } from "./address.ts";
import { bodyOf, problemOf, request } from "./problem.ts";
import { root } from "./root.ts";

/** The person who is signed in. */
export type Me = Answer<"/admin/me">;

/** What `/console/session` and `/console/setup` answer. */
interface SessionAnswer {
  readonly access_token?: string;
  readonly expires_in?: number;
  readonly environment?: string;
  readonly version?: string;
  readonly setup?: boolean;
  readonly challenge?: string;
  readonly fault?: string;
  readonly detail?: string;
}

/** `undefined` until the server has said whether this browser is signed in; null if it is not. */
export const me = signal<Me | null | undefined>(undefined);
/** Whether the session has ended while somebody was at work. What the page shows, and what was typed, stays. */
export const hasEnded = signal(false);
/** How often somebody has signed in since the page was opened: what could not be read before is read again. */
export const signIns = signal(0);
export const environment = signal("");
/** Whether there is no administrator yet. */
export const isSetupDue = signal(false);
/** Why it is not known whether this browser is signed in. */
export const startFault = signal<Error | undefined>(undefined);

/** The newest version, as the server names it. Older ones may have ended. */
let version = "";
/** The address of an operation in that version. */
export const apiAddress = (path: string): string => `${root}/api/${version}${path}`;

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

const post = async (path: "session" | "setup", fields: Record<string, string>) => {
  const url = `${root}/console/${path}`;
  const response = await request(url, { method: "POST", body: new URLSearchParams(fields) });
  const answer = (await bodyOf(response)) as SessionAnswer;
  if (answer.environment !== undefined) environment.value = answer.environment;
  if (answer.version !== undefined) version = answer.version;
  if (answer.setup !== undefined) isSetupDue.value = answer.setup;
  if (answer.access_token !== undefined) {
    token = { text: answer.access_token, until: Date.now() + ((answer.expires_in ?? 60) - 30) * 1000 };
  }
  return { status: response.status, answer };
};

/** What the server knows of this browser's session. @throws Error for a failure that says nothing about it. */
const askOfSession = async (fields: Record<string, string>): Promise<SessionAnswer> => {
  const { status, answer } = await post("session", fields);
  if (status !== 200 && status !== 401) throw problemOf(status, answer);
  return answer;
};

const signedOut = (): void => {
  token = undefined;
  me.value = null;
  hasEnded.value = false;
};

/** Reads who is signed in. Only 401 means nobody. @throws Error for any other failure. */
export const readMe = async (): Promise<void> => {
  const response = await request(apiAddress("/admin/me"), { headers: { authorization: `Bearer ${token?.text}` } });
  const answer = await bodyOf(response);
  if (response.ok) me.value = answer as Me;
  else if (response.status === 401) signedOut();
  else throw problemOf(response.status, answer as Parameters<typeof problemOf>[1]);
};

/** Somebody has signed in, perhaps again. */
const welcome = async (): Promise<void> => {
  await readMe();
  hasEnded.value = false;
  signIns.value += 1;
};

let renewing: Promise<void> | undefined;
const renew = (): Promise<void> => {
  renewing ??= (async () => {
    try {
      const answer = await askOfSession(isActive ? { step: "active" } : {});
      isActive = false;
      if (answer.access_token === undefined) {
        token = undefined;
        // What is on the page stays there for the same person.
        if (me.value) hasEnded.value = true;
        else signedOut();
      } else if (!me.value || hasEnded.value) await welcome();
    } finally {
      renewing = undefined;
    }
  })();
  return renewing;
};

/** Finds out whether this browser is signed in. */
export const start = async (): Promise<void> => {
  startFault.value = undefined;
  await renew().catch((thrown: Error) => {
    startFault.value = thrown;
  });
};

/** A valid access token; `undefined` once the session has ended. */
export const accessToken = async (fresh = false): Promise<string | undefined> => {
  if (fresh || token === undefined || token.until < Date.now()) await renew();
  return token?.text;
};

/** The outcome of a step of a sign-in: nothing more to do, a code to ask for, or a fault to show. */
export type Outcome = { readonly done: true } | { readonly challenge?: string; readonly fault?: string };

const outcomeOf = async ({ answer }: Awaited<ReturnType<typeof post>>): Promise<Outcome> => {
  if (answer.access_token === undefined) {
    return { challenge: answer.challenge, fault: answer.fault ?? answer.detail } as Outcome;
  }
  await welcome();
  // Without the cookie the first renewal would end everything, so it is said at once.
  if ((await askOfSession({})).access_token === undefined) {
    signedOut();
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
  await askOfSession({ step: "end" });
  signedOut();
};

/** The scopes by which the console shows or hides something. */
export type Scope =
  | "audit:read"
  | "causes:read"
  | "clients:read"
  | "clients:write"
  | "deprecations:read"
  | "events:read"
  | "events:replay"
  | "events:reveal"
  | "health:read"
  | "invitations:write"
  | "jobs:read"
  | "jobs:write"
  | "plans:read"
  | "providers:read"
  | "providers:write"
  | "queues:read"
  | "queues:write"
  | "schedules:read"
  | "schedules:write"
  | "settings:read"
  | "users:read";

/** Whether the person may call the operations with this scope. It only hides what the API would refuse. */
export const may = (scope: Scope): boolean => me.value?.scopes.includes(scope) === true;

/** Whether the person may change the rows of others. */
export const isAdministrator = (): boolean => may("invitations:write") && me.value?.role === "admin";
