import type { Command } from "commander";
import { addAction, addCall, printAnswer } from "../actions.ts";
import type { AnswerOf } from "../operations.ts";
import { addPage, type Columns, type ItemOf } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { severalWords } from "../several-words.ts";
import { CommandError, exitCodes, readText, type Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

const columns: Columns<ItemOf<"admin.clients.list">> = {
  id: "id",
  name: "name",
  kind: "kind",
  user: "user_id",
  scopes: ({ scopes }) => scopes.join(" "),
  "grant types": ({ grant_types }) => grant_types.join(" "),
  "last used": "last_used_at",
};

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly redirectUri?: readonly string[];
  readonly grantType?: readonly string[];
  readonly public?: boolean;
  readonly jwks?: string;
  readonly json?: boolean;
}

/**
 * Prints the secret to standard output, where a script can store it, and the explanation to
 * standard error.
 */
const printNew = ({ stdout, stderr }: Terminal, { id, secret }: AnswerOf<"admin.clients.create">): void => {
  stderr.write(`Client ${id}. ${secret === null ? "It has no secret." : "Its secret is not shown again:"}\n`);
  stdout.write(`${secret ?? id}\n`);
};

/**
 * The keys in a file: a JWK Set, or one key. The operation decides whether they can be used.
 * @throws CommandError for a file that is not JSON.
 */
const keysIn = async (terminal: Terminal, file: string): Promise<unknown> => {
  const text = await readText(terminal, file);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "keys" in value ? value : { keys: [value] };
  } catch {
    throw new CommandError(exitCodes.usage, `${file} is not JSON: it must be a JWK Set, or one public JWK.`);
  }
};

const addList = (clients: Command, terminal: Terminal): void => {
  const list = clients.command("list").description("list the clients, oldest first");
  addPage(list, terminal, { operation: "admin.clients.list", columns });
};

const addCreate = (clients: Command, terminal: Terminal): void => {
  clients
    .command("create")
    .description("make a client; its secret is printed this once")
    .requiredOption("--user <email-or-id>", "the account that it acts for with client credentials")
    .requiredOption("--name <name>", "what users see as its name")
    .requiredOption("--scope <scope>", "the most that it can ask for, such as posts:read; several times", severalWords)
    .option("--redirect-uri <uri>", "where users are sent back to; several times", severalWords)
    .option("--grant-type <type>", "how it may get tokens, several times (default: what suits it)", severalWords)
    .option("--public", "an app that cannot keep a secret")
    .option("--jwks <file>", "public keys (a JWK Set, or one JWK) that replace the secret")
    .option("--json", "print the client as JSON")
    .action(async ({ user, name, scope, redirectUri = [], grantType = [], json, jwks, ...options }: CreateOptions) => {
      const keys = jwks === undefined ? {} : { jwks: await keysIn(terminal, jwks) };
      await withOperations(terminal, async (session) => {
        const kind = options.public === true ? "public" : "confidential";
        const user_id = await idOfUser(session, user);
        const types = grantType.length === 0 ? {} : { grant_types: grantType };
        const given = { name, kind, user_id, scopes: scope, redirect_uris: redirectUri, ...types, ...keys };
        const made = await session.run({ operation: "admin.clients.create", body: given });
        printAnswer(terminal, made, json, (one) => printNew(terminal, one));
      });
    });
};

const addRenewSecret = (clients: Command, terminal: Terminal): void => {
  const renew = clients
    .command("renew-secret")
    .description("give a client a new secret; the old one ends at once; asks first")
    .argument("<id>", "the client's id");
  addCall(renew, terminal, {
    call: (id: string) => ({ operation: "admin.clients.renew-secret", params: { id } }),
    tell: (made) => printNew(terminal, made),
    yes: "do not ask",
    json: "the client",
  });
};

const addReplaceKeys = (clients: Command, terminal: Terminal): void => {
  const replace = clients
    .command("replace-keys")
    .description("give a client these public keys; its old ones, or its secret, end at once; asks first")
    .argument("<id>", "the client's id")
    .argument("<file>", "the public keys: a JWK Set, or one JWK");
  addCall(replace, terminal, {
    call: async (id: string, file: string) => ({
      operation: "admin.clients.replace-keys",
      params: { id },
      body: await keysIn(terminal, file),
    }),
    tell: (_client, id) => terminal.stdout.write(`Replaced the keys of the client ${id}.\n`),
    yes: "do not ask",
    json: "the client",
  });
};

const addGrantTypes = (clients: Command, terminal: Terminal): void => {
  const choose = clients
    .command("grant-types")
    .description("say how a client may get tokens")
    .argument("<id>", "the client's id")
    .argument("<types...>", "authorization_code, client_credentials, refresh_token");
  addCall(choose, terminal, {
    call: (id: string, types: readonly string[]) => ({
      operation: "admin.clients.replace-grant-types",
      params: { id },
      body: { grant_types: types.flatMap((type) => type.split(",")) },
    }),
    tell: (changed, id) => terminal.stdout.write(`The client ${id} may use ${changed.grant_types.join(", ")}.\n`),
    json: "the client",
  });
};

const addLink = (clients: Command, terminal: Terminal): void => {
  const link = clients
    .command("link")
    .description("link a program at the outside issuer to a client: its tokens then act as this client")
    .argument("<id>", "the client's id")
    .requiredOption("--sub <subject>", "the azp of the program's tokens, else their client_id, else their sub")
    .option("--issuer <url>", "the issuer (default: the outside issuer of the server)");
  addAction(link, terminal, async ({ run }, id: string, { sub, issuer }: { sub: string; issuer?: string }) => {
    const { user_id } = await run({ operation: "admin.clients.read", params: { id } });
    const body = { subject: sub, client_id: id, ...(issuer === undefined ? {} : { issuer }) };
    await run({ operation: "admin.outside-identities.create", params: { id: user_id }, body });
    terminal.stdout.write(
      `Tokens of ${sub} act as the client ${id} now. To end this: postern outside-identities list --user ${user_id}\n`,
    );
  });
};

const addRemove = (clients: Command, terminal: Terminal): void => {
  const remove = clients
    .command("remove")
    .description("remove a client; all its tokens end at once, on every node; asks first")
    .argument("<id>", "which");
  addCall(remove, terminal, {
    call: (id: string) => ({ operation: "admin.clients.delete", params: { id } }),
    tell: (_none, id) => terminal.stdout.write(`Removed the client ${id}.\n`),
    yes: "do not ask",
  });
};

/** `postern clients …` */
export const addClientCommands = (clients: Command, terminal: Terminal): void => {
  for (const add of [addList, addCreate, addRenewSecret, addReplaceKeys, addGrantTypes, addLink, addRemove])
    add(clients, terminal);
};
