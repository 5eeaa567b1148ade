import type { Correction } from "@postern/rest";

/** What accounts can do in addition, and do otherwise, in every version. */
export const accountAdditions: readonly Correction[] = [
  {
    id: "accounts-have-mail",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/password-resets, /email-verifications, /invitations",
      operations: [
        "password-resets.create",
        "password-resets.finish",
        "email-verifications.create",
        "email-verifications.finish",
        "invitations.accept",
        "admin.invitations.create",
      ],
    },
    from: null,
    to: null,
    title: "Passwords are reset, addresses verified and people invited by mail",
    description:
      "`POST /password-resets` sends a link to the address of an account, `POST /email-verifications` one to your own, `POST /admin/invitations` one to somebody new. `verified_email` of a user is the address that was verified last. Where the server asks for it, `POST /sessions` answers 403 `address_unverified`.",
    migration: "Nothing.",
  },
  {
    id: "addresses-can-be-confirmed-first",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/sign-ups, /email-changes",
      operations: ["sign-ups.finish", "email-changes.finish", "users.create", "users.update", "users.replace"],
    },
    from: null,
    to: null,
    title: "A server may confirm addresses before it uses them",
    description:
      "Such a server answers a sign-up, and a user's change of their address, with 202 and no body, whether or not the address has an account. The owner of the address finishes it with `POST /sign-ups/{token}` or `POST /email-changes/{token}`. A change of a role needs a sign-in of the last five minutes, and so does setting the password of somebody else.",
    migration: "Take a 202 without a body for an answer to a sign-up and to a change of address.",
  },
  {
    id: "accounts-have-second-factors",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/users/{id}/second-factor, /sessions/mfa",
      operations: ["second-factors.create", "second-factors.confirm", "second-factors.delete", "sessions.finish"],
    },
    from: null,
    to: null,
    title: "Users can protect their sign-in with a second factor",
    description:
      "`POST /users/me/second-factor` begins it, `POST /users/me/second-factor/confirmation` turns it on and gives recovery codes. From then on `POST /sessions` answers 401 `mfa_required` with a `challenge`, and `POST /sessions/mfa` takes it with a code. `second_factor_at` of a user says since when.",
    migration: "Ask for a code where `POST /sessions` answers `mfa_required`, before your users turn it on.",
  },
  {
    id: "users-take-their-data-with-them",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/users/{id}/exports",
      operations: ["exports.create", "exports.read", "exports.read-archive"],
    },
    from: null,
    to: null,
    title: "Users can have an archive of what is kept about them",
    description:
      "`POST /users/me/exports` asks for it and answers 202 with `Location`. When `state` there is `ready`, `GET /users/me/exports/{exportId}/archive` gives the archive as JSON for 24 hours. All three need a sign-in, the first one of the last five minutes or the password.",
    migration: "Nothing.",
  },
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
