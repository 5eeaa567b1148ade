import type { Correction } from "@postern/rest";
import { added } from "./added.ts";

/** New and changed operations on accounts, in every version. */
export const accountAdditions: readonly Correction[] = [
  added({
    id: "accounts-have-mail",
    name: "/password-resets, /email-verifications, /invitations",
    operations: [
      "password-resets.create",
      "password-resets.finish",
      "email-verifications.create",
      "email-verifications.finish",
      "invitations.accept",
      "admin.invitations.create",
    ],
    title: "Passwords are reset, addresses verified and people invited by mail",
    description:
      "`POST /password-resets` sends a link to the address of an account, `POST /email-verifications` one to your own, `POST /admin/invitations` one to somebody new. `verified_email` of a user is the address that was verified last. Where the server asks for it, `POST /sessions` answers 403 `address_unverified`.",
  }),
  added({
    id: "addresses-can-be-confirmed-first",
    name: "/sign-ups, /email-changes",
    operations: ["sign-ups.finish", "email-changes.finish", "users.create", "users.update", "users.replace"],
    title: "A server may confirm addresses before it uses them",
    description:
      "Such a server answers a sign-up, and a user's change of their address, with 202 and no body, whether or not the address has an account. The owner of the address finishes it with `POST /sign-ups/{token}` or `POST /email-changes/{token}`. A change of a role needs a sign-in of the last five minutes, and so does setting the password of somebody else.",
    migration: "Accept a 202 without a body as the answer to a sign-up and to a change of address.",
  }),
  added({
    id: "accounts-have-second-factors",
    name: "/users/{id}/second-factor, /sessions/mfa",
    operations: ["second-factors.create", "second-factors.confirm", "second-factors.delete", "sessions.finish"],
    title: "Users can protect their sign-in with a second factor",
    description:
      "`POST /users/me/second-factor` begins it, `POST /users/me/second-factor/confirmation` turns it on and gives recovery codes. From then on `POST /sessions` answers 401 `mfa_required` with a `challenge`, and `POST /sessions/mfa` takes it with a code. `second_factor_at` of a user says since when.",
    migration: "Ask for a code where `POST /sessions` answers `mfa_required`, before your users turn it on.",
  }),
  added({
    id: "users-take-their-data-with-them",
    name: "/users/{id}/exports",
    operations: ["exports.create", "exports.read", "exports.read-archive"],
    title: "Users can have an archive of their data",
    description:
      "`POST /users/me/exports` asks for it and answers 202 with `Location`. When `state` there is `ready`, `GET /users/me/exports/{exportId}/archive` gives the archive as JSON for 24 hours. All three need a sign-in, the first one of the last five minutes or the password.",
  }),
  added({
    id: "users-see-their-outside-accounts",
    name: "/users/{id}/outside-identities",
    operations: ["outside-identities.list", "outside-identities.delete"],
    title: "Users see and end their links to outside accounts",
    description:
      "`GET /users/me/outside-identities` lists the accounts at an outside issuer whose tokens act for you. `DELETE` of one ends it: its tokens are answered 403 from then on. The only way to sign in cannot be ended.",
  }),
  added({
    id: "new-passwords-can-end-keys",
    name: "POST /password-resets/{token}, PUT /users/{id}/password",
    operations: ["password-resets.finish", "users.change-password"],
    title: "A new password can end all API keys",
    description:
      "`revoke_api_keys: true` beside the new password ends all API keys of the user with it. Otherwise they stay valid, and the mail about the new password says how many there are.",
  }),
  added({
    id: "sessions-and-grants-of-a-user",
    name: "GET /sessions, GET /grants",
    operations: ["sessions.list", "grants.list"],
    title: "Sessions and grants can be listed for one user",
    description:
      "`filter[user_id]` of `GET /sessions` and `GET /grants` selects those of one user, for administrators.",
  }),
  {
    id: "failed-sign-ins-wait",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: true,
    target: { type: "response", name: "429 of a sign-in", operations: ["sessions.create", "users.change-password"] },
    from: "429 rate_limited",
    to: "401 invalid_credentials with Retry-After",
    title: "Failed sign-ins wait longer and longer",
    description:
      "After several wrong passwords a further try was answered 429. It is answered like a wrong password now, with `Retry-After`; the wait grows with each failure from one address at one account.",
    migration: "Wait for `Retry-After` before you send a password again.",
  },
];
