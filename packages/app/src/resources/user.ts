import {
  choice,
  defineResource,
  digest,
  email,
  type Field,
  jsonObject,
  nullable,
  ownedBy,
  type Resource,
  text,
  timestamp,
} from "@postern/core";
import { didYouMean, option, optionFaults, refuseFaults } from "@postern/core/internal";
import { builtInRoles } from "@postern/rest";
import { stampedChoice } from "./stamped-choice.ts";

/** `own`: the names of the roles that an application adds. */
const roleField = (own: readonly string[]) =>
  choice(["user", ...Object.keys(builtInRoles).filter((name) => name !== "user"), ...own], {
    default: "user",
    write: "admin",
    recentSignIn: true,
    filter: "everyone",
    description: "What the user may do.",
  });

const builtInFields = {
  name: text(200, {
    filter: "everyone",
    sort: "everyone",
    example: "Ada Lovelace",
    description: "The name of the user.",
  }),
  email: email({
    unique: true,
    recentSignIn: true,
    filter: "everyone",
    sort: "everyone",
    description: "The address to sign in with, unique; kept in lower case.",
  }),
  verified_email: nullable(
    text(254, {
      write: "nobody",
      example: "ada@example.com",
      description: "The address that was verified last. While it is `email`, the address is verified.",
    }),
  ),
  /**
   * The address that an outside issuer named and did not verify. While it is `email` and nobody has
   * verified it, the account has it on trust.
   */
  trusted_email: {
    ...nullable(text(254, { write: "nobody", description: "An address on trust." })),
    read: "nobody",
  },
  second_factor_at: nullable(
    timestamp({ description: "The time since which sign-ins need a second factor; null if the password is enough." }),
  ),
  /** The hash, never the password. Sign-up and password changes write it. */
  password: digest({ description: "The password's hash." }),
  phone: nullable(text(40, { example: "+44 20 7946 0000", description: "A telephone number." })),
  address: nullable(text(500, { example: "12 St James's Square, London", description: "A postal address." })),
  preferences: jsonObject({
    default: {},
    example: { theme: "dark" },
    description: "Settings of the user's own choosing.",
  }),
  subscription: stampedChoice(["none", "trialing", "active", "past_due", "canceled"], {
    initial: "none",
    what: "The state of the user's subscription.",
    write: "admin",
    description: "The user's subscription.",
  }),
  role: roleField([]),
} as const;

/** Everything about users but their fields. */
const definition = {
  name: "user",
  plural: "users",
  description: "A person or a program that uses the API.",
  owner: "id",
  access: { read: ownedBy("id"), update: ownedBy("id"), delete: ownedBy("id") },
} as const;

const shownToAll = ["name"] as const;
const oneAdministrator = {
  field: "role",
  value: "admin",
  detail: "This is the last administrator; make another user one first.",
} as const;

/** A user of the API. Users own themselves. */
export const user = defineResource({
  ...definition,
  fields: builtInFields,
  public: shownToAll,
  keepsOne: oneAdministrator,
});

/** The built-in fields that an application can leave out. */
const optionalFields = ["phone", "address", "preferences", "subscription"] as const;
type OptionalField = (typeof optionalFields)[number];

type BuiltInFields = typeof user extends Resource<infer Shape> ? Shape["fields"] : never;

/** `user` with fields of an application, for the types of rows. */
type UserWith<Own extends Readonly<Record<string, Field>>> = Resource<{
  readonly fields: BuiltInFields & {
    readonly [Name in keyof Own]: Own[Name] extends Field<infer Value, infer Default> ? Field<Value, Default> : Field;
  };
  readonly plural: "users";
  readonly state: never;
}>;

/** Members of bodies with users that are no fields, and a name that v1 of the bare server has. */
const taken: ReadonlySet<string> = new Set(["current_password", "link", "subscription_status"]);

const ownFaults = (name: string, field: Field): readonly string[] => {
  const { nullable: isNullable, default: value, references, unique, signUp } = Object(field) as Field;
  const place = `userWith, field "${name}"`;
  return [
    ...(Object.hasOwn(builtInFields, name) || taken.has(name)
      ? [`${place}: the name is Postern's own, also where the field is left out; choose another`]
      : []),
    ...(value === undefined && isNullable !== true
      ? [
          `${place}: give it a default, or make it nullable: outside issuers, invitations and \`postern users create\` make accounts, too, and know no value for it`,
        ]
      : []),
    ...(references === undefined
      ? []
      : [`${place}: a user refers to nothing; declare a resource of your own that refers to the user`]),
    ...(unique === true && signUp === true
      ? [
          `${place}: a stranger could learn at sign-up which values are taken; leave out \`signUp\`, and let users set it with \`write: "everyone"\``,
        ]
      : []),
    ...(signUp === undefined || typeof signUp === "boolean" ? [] : [`${place}: signUp must be true or false`]),
  ];
};

const leftOutFaults = (names: readonly unknown[]): readonly string[] =>
  names.flatMap((name) =>
    optionalFields.some((one) => one === name)
      ? []
      : [
          `userWith, without: ${JSON.stringify(name)} cannot be left out${didYouMean([String(name)], optionalFields) || `; ${optionalFields.join(", ")} can`}`,
        ],
  );

/** A field that is stored, and that nobody sees. */
const hidden = (field: Field): Field => ({
  ...field,
  read: "nobody",
  write: "nobody",
  filter: "nobody",
  sort: "nobody",
});

const withoutSignUp = ({ signUp: _atSignUp, ...field }: Field): Field => field;

/**
 * The built-in `user` with fields of your own, and without fields of ours that you do not need. Give it to
 * the option `user`, and to `handlersFor` and hooks, which know its rows by it:
 *
 *     export const member = userWith({
 *       fields: {
 *         company: nullable(text(80, { signUp: true, description: "Where they work." })),
 *         credit: integer({ default: 0, description: "What they may still order." }),
 *       },
 *       without: ["phone", "address"],
 *     });
 *
 * Only your code writes a field of yours, unless its `write` says otherwise. Each needs a default or is
 * nullable, because accounts are also made by outside issuers, invitations and the command line. New
 * users may give those with `signUp: true`, which no unique field has: sign-up is public, and would tell
 * strangers which values are taken.
 *
 * What you leave out is in no answer, body, filter or document. Its column stays, and what is stored in
 * it: exports of a user's data show it, and it goes with the account.
 * @throws DeclarationError for fields that cannot work, with all that is wrong.
 */
export const userWith = <const Own extends Readonly<Record<string, Field>> = Readonly<Record<never, Field>>>(options: {
  readonly fields?: Own;
  readonly without?: readonly OptionalField[];
}): UserWith<Own> => {
  refuseFaults(optionFaults("userWith", options, { fields: option.anObject, without: option.aList }));
  const { fields = {}, without = [] } = options;
  const own = Object.entries<Field>(fields);
  refuseFaults([...own.flatMap(([name, field]) => ownFaults(name, field)), ...leftOutFaults(without)]);
  const kept = Object.entries<Field>(builtInFields).map(([name, field]): [string, Field] => [
    name,
    without.some((one) => one === name) ? hidden(field) : field,
  ]);
  const added = own.map(([name, field]): [string, Field] => [
    name,
    field.writtenByDefault === true && field.write === "everyone"
      ? { ...withoutSignUp(field), write: "nobody" }
      : withoutSignUp(field),
  ]);
  const made: Resource = defineResource({
    ...definition,
    fields: Object.fromEntries([...kept, ...added]),
    public: shownToAll,
    keepsOne: oneAdministrator,
  });
  const atSignUp = own.flatMap(([name, { signUp }]) =>
    signUp === true ? [[name, { ...made.fields[name], signUp }]] : [],
  );
  const whole: Resource = {
    ...made,
    fields: { ...made.fields, ...Object.fromEntries(atSignUp) },
    added: own.map(([name]) => name),
  };
  // It has the built-in fields, and these.
  return whole as UserWith<Own>;
};

/** @throws DeclarationError for a user that `userWith` has not made. */
export const checkUser = (given: Resource): void =>
  refuseFaults(
    given === user || (Object(given).name === user.name && Array.isArray(Object(given).added))
      ? []
      : ["user: make it with userWith({ fields: { … }, without: […] })"],
  );

/** The built-in fields that the application left out. */
export const leftOutOf = ({ fields }: Resource): readonly string[] =>
  optionalFields.filter((name) => fields[name]?.read === "nobody");

/** The same user as a new one may give it: with those fields of the application that sign-up takes. */
export const newUserOf = (given: Resource): Resource => {
  const { fields, added = [] } = given;
  const own = added.flatMap((name) => {
    const field = fields[name];
    return field === undefined ? [] : [[name, { ...field, write: field.signUp === true ? "everyone" : "nobody" }]];
  });
  return own.length === 0 ? given : { ...given, fields: { ...fields, ...Object.fromEntries(own) } };
};

/** The user of an application with roles of its own. */
export const userWithRoles = (given: Resource, names: readonly string[]): Resource =>
  names.length === 0 ? given : { ...given, fields: { ...given.fields, role: roleField(names) } };
