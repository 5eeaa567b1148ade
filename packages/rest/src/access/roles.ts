/** What a role may do in addition to what every signed-in user may do. */
interface RoleDefinition {
  /**
   * Scopes of operations below `/admin`: `events:read`; `events:*` for everything about events;
   * `*:read` for everything that reads; `*` for everything.
   */
  readonly scopes: readonly string[];
  /** Shown in the documentation. */
  readonly description: string;
}

/** Roles by name. */
export type Roles = Readonly<Record<string, RoleDefinition>>;

/** The roles that every application has. */
export const builtInRoles = {
  user: { scopes: [], description: "Uses the API: own rows, and what others publish." },
  viewer: { scopes: ["*:read"], description: "Also reads what administrators read; payloads of events are masked." },
  operator: {
    scopes: ["*:read", "events:replay", "events:reveal", "jobs:write", "queues:write", "schedules:write"],
    description: "Also sees payloads, replays events, and retries, cancels and pauses jobs, and runs schedules.",
  },
  admin: { scopes: ["*"], description: "Does everything, with the rows of all users." },
} as const satisfies Roles;

const roleName = /^[a-z][a-z0-9-]{0,39}$/;

/** Whether a list of scopes and patterns includes a scope. */
export const includesScope = (patterns: readonly string[], scope: string): boolean => {
  const [area, verb] = scope.split(":");
  return patterns.some((one) => one === "*" || one === scope || one === `${area}:*` || one === `*:${verb}`);
};

/**
 * The built-in roles together with those of an application.
 * @throws TypeError for a name that is taken or invalid, and for a scope that no operation needs.
 */
export const rolesWith = (own: Roles, scopes: readonly string[]): Roles => {
  for (const [name, role] of Object.entries(own)) {
    if (Object.hasOwn(builtInRoles, name)) throw new TypeError(`role "${name}": this is a built-in role`);
    if (!roleName.test(name)) {
      throw new TypeError(`role "${name}": a name has 1 to 40 lower-case letters, digits and hyphens`);
    }
    if (!Array.isArray(Object(role).scopes)) {
      throw new TypeError(`role "${name}": "scopes" is missing; it must be a list such as ["posts:read"]`);
    }
    for (const pattern of role.scopes) {
      if (scopes.some((scope) => includesScope([pattern], scope))) continue;
      throw new TypeError(`role "${name}": no operation needs the scope "${pattern}"; there are ${scopes.join(", ")}`);
    }
  }
  return { ...builtInRoles, ...own };
};
