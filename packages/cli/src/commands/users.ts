import { readFileSync } from "node:fs";
import { canonicalAddress } from "@postern/core/internal";
import type { Command } from "commander";
import { addAction, printAnswer } from "../actions.ts";
import { loadServer } from "../load-server.ts";
import type { Operations } from "../operations.ts";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { configOf, withOperations } from "../session.ts";
import { printFacts } from "../table.ts";
import { CommandError, exitCodes, hint, readAll, readSecret, type Terminal } from "../terminal.ts";

const columns: Columns<ItemOf<"users.list">> = {
  id: "id",
  email: "email",
  name: "name",
  role: "role",
  created: "created_at",
};

interface CreateOptions {
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly passwordFile?: string;
  readonly json?: boolean;
}

const passwordFrom = async (terminal: Terminal, file: string | undefined): Promise<string> => {
  if (file === "-") return (await readAll(terminal.stdin)).trimEnd();
  if (file !== undefined) {
    try {
      return readFileSync(file, "utf8").trimEnd();
    } catch {
      throw new CommandError(exitCodes.usage, `The password file ${file} cannot be read.`);
    }
  }
  const password = await readSecret(terminal, "Password (8 characters or more, not shown): ");
  if (password !== "") return password;
  throw new CommandError(
    exitCodes.usage,
    "No password was given: type it, pipe it in, or name a file with --password-file.",
  );
};

/** A user's id, by the address or the id itself. @throws CommandError */
export const idOfUser = async ({ run }: Operations, whom: string): Promise<string> => {
  const none = new CommandError(exitCodes.notFound, `There is no user ${whom}.`);
  if (!whom.includes("@")) {
    const id = whom.toLowerCase();
    await run({ operation: "users.read", params: { id } }).catch((thrown: unknown) => {
      throw thrown instanceof CommandError && thrown.exitCode === exitCodes.notFound ? none : thrown;
    });
    return id;
  }
  const query = { "filter[email]": canonicalAddress(whom), limit: "1" };
  const [found] = (await run({ operation: "users.list", query })).data;
  if (found === undefined) throw none;
  return found.id;
};

const addCreate = (users: Command, terminal: Terminal): void => {
  users
    .command("create")
    .description("make a user; the password is asked for, or read from standard input")
    .requiredOption("--name <name>", "what the user is called")
    .requiredOption("--email <address>", "the address to sign in with")
    .option("--role <role>", "user, viewer, operator, admin, or one of the configuration", "user")
    .option("--password-file <path>", "read the password from a file; - is standard input")
    .option("--json", "print the user as JSON")
    .action(async ({ name, email, role, passwordFile, json }: CreateOptions) => {
      const password = await passwordFrom(terminal, passwordFile);
      await withOperations(terminal, async ({ run }) => {
        const made = await run({ operation: "users.create", body: { name, email, password, role } }).catch(
          (thrown: unknown) => {
            if (!(thrown instanceof CommandError && thrown.code === "conflict")) throw thrown;
            const advice =
              role === "user" ? "" : ` To give them this role: postern users promote ${email} --role ${role}`;
            throw new CommandError(exitCodes.usage, `There is already a user ${email}.${advice} [${thrown.code}]`);
          },
        );
        printAnswer(terminal, made, json, () =>
          terminal.stdout.write(`Made ${made.role} ${made.email} (${made.id}).\n`),
        );
      });
    });
};

interface InviteOptions {
  readonly name: string;
  readonly email: string;
  readonly role?: string;
  readonly json?: boolean;
}

/** The whole address of a link. A server that does not know its own address gives a path. */
const wholeLink = async (terminal: Terminal, link: string): Promise<string> => {
  if (!link.startsWith("/")) return link;
  const chosen = await terminal.server?.();
  if (chosen !== undefined) return new URL(chosen.url).origin + link;
  const { ownAddress } = await loadServer();
  return ownAddress(await configOf(terminal)) + link;
};

const addInvite = (users: Command, terminal: Terminal): void => {
  const invite = users
    .command("invite")
    .description("make a user who chooses the password by a link: by mail, or printed where no mail server is set")
    .requiredOption("--name <name>", "what the user is called")
    .requiredOption("--email <address>", "the address to sign in with")
    .option("--role <role>", "user, viewer, operator, admin, or one of the configuration", "user")
    .option("--json", "print the user as JSON, with the link");
  addAction(invite, terminal, async ({ run }, { name, email, role, json }: InviteOptions) => {
    const { link, ...made } = await run({ operation: "admin.invitations.create", body: { name, email, role } });
    const shown = link === null ? null : await wholeLink(terminal, link);
    printAnswer(terminal, { ...made, link: shown }, json, () => {
      if (shown === null) return terminal.stdout.write(`Made ${made.role} ${made.email}, who gets a link by mail.\n`);
      terminal.stderr.write(
        `Made ${made.role} ${made.email}. No mail goes out from here, so give them this link; it works once, within seven days:\n`,
      );
      return terminal.stdout.write(`${shown}\n`);
    });
  });
};

const addList = (users: Command, terminal: Terminal): void => {
  const list = users.command("list").description("list users, oldest first");
  addPages(list, terminal, { operation: "users.list", columns });
};

const addPromote = (users: Command, terminal: Terminal): void => {
  const promote = users
    .command("promote")
    .description("give a user a role; without --role they become an administrator")
    .argument("<email-or-id>", "whom")
    .option("--role <role>", "user, viewer, operator, admin, or one of the configuration", "admin")
    .option("--json", "print the user as JSON");
  addAction(promote, terminal, async (session, whom: string, { role, json }: { role: string; json?: boolean }) => {
    const id = await idOfUser(session, whom);
    const promoted = await session.run({ operation: "users.update", params: { id }, body: { role } });
    const now = promoted.role === "admin" ? "is an administrator" : `has the role ${promoted.role}`;
    printAnswer(terminal, promoted, json, ({ email }) => terminal.stdout.write(`${email} ${now} now.\n`));
  });
};

const addShow = (users: Command, terminal: Terminal): void => {
  const show = users
    .command("show")
    .description("show everything stored about a user, except the password")
    .argument("<email-or-id>", "whom")
    .option("--json", "print the user as JSON");
  addAction(show, terminal, async (session, whom: string, { json }: { json?: boolean }) => {
    const id = await idOfUser(session, whom);
    const shown = await session.run({ operation: "users.read", params: { id } });
    printAnswer(terminal, shown, json, (facts) => printFacts(terminal, facts));
  });
};

/** The answer to such a request is the same for every address, so nobody can say whether a mail goes. */
const noLinkIf =
  "None goes if the server sends no mail (POSTERN_SMTP_URL), if nobody but an outside issuer has named that address, or if several went to it in the last half hour.\n";

interface ResetOptions {
  readonly passwordFile?: string;
  readonly mail?: boolean;
  readonly revokeKeys?: boolean;
  readonly yes?: boolean;
}

const addResetPassword = (users: Command, terminal: Terminal): void => {
  users
    .command("reset-password")
    .description(
      "give a user another password, which ends every session and asks first, or a mail with a link to set one",
    )
    .argument("<email-or-id>", "whom")
    .option("--password-file <path>", "read the password from a file; - is standard input")
    .option("--mail", "mail a link that works once, and set nothing now")
    .option("--revoke-keys", "also end the user's API keys")
    .option("--yes", "do not ask")
    .action(async (whom: string, { passwordFile, mail, revokeKeys = false, yes }: ResetOptions) => {
      if (mail === true && (revokeKeys || passwordFile !== undefined))
        throw new CommandError(exitCodes.usage, "With --mail the user sets the password; leave out the other options.");
      const given = mail === true ? undefined : await passwordFrom(terminal, passwordFile);
      await withOperations(terminal, async (session) => {
        const id = await idOfUser(session, whom);
        if (given === undefined) {
          const { email } = await session.run({ operation: "users.read", params: { id } });
          if (email.endsWith(".invalid"))
            throw new CommandError(exitCodes.usage, `${whom} has no address to which mail can go. Leave out --mail.`);
          await session.run({ operation: "password-resets.create", body: { email } });
          terminal.stdout.write(`You have asked for a link to ${email}.\n`);
          terminal.stderr.write(hint(noLinkIf, terminal));
          return;
        }
        const call = { operation: "users.change-password" } as const;
        await requireConfirmed(terminal, session, { ...call, params: { id: whom } }, yes);
        await session.run({ ...call, params: { id }, body: { new_password: given, revoke_api_keys: revokeKeys } });
        terminal.stdout.write(`${whom} (${id}) has another password. Every session has ended.\n`);
      });
    });
};

const addEndSecondFactor = (users: Command, terminal: Terminal): void => {
  const end = users
    .command("end-second-factor")
    .description("end the second factor of a user who has lost it; asks first")
    .argument("<email-or-id>", "whom")
    .option("--yes", "do not ask");
  addAction(end, terminal, async (session, whom: string, { yes }: { yes?: boolean }) => {
    const id = await idOfUser(session, whom);
    const call = { operation: "second-factors.delete" } as const;
    await requireConfirmed(terminal, session, { ...call, params: { id: whom } }, yes);
    await session.run({ ...call, params: { id } });
    terminal.stdout.write(`Ended the second factor of ${whom} (${id}).\n`);
  });
};

const addLink = (users: Command, terminal: Terminal): void => {
  const link = users
    .command("link")
    .description("link an account at the outside issuer to a user: its tokens then act for this user")
    .argument("<email-or-id>", "whom")
    .requiredOption("--sub <subject>", "the sub of the outside account's tokens")
    .option("--issuer <url>", "the issuer (default: the outside issuer of the server)");
  addAction(link, terminal, async (session, whom: string, { sub, issuer }: { sub: string; issuer?: string }) => {
    const params = { id: await idOfUser(session, whom) };
    const body = { subject: sub, ...(issuer === undefined ? {} : { issuer }) };
    await session.run({ operation: "admin.outside-identities.create", params, body });
    terminal.stdout.write(`Tokens of ${sub} act for ${whom} (${params.id}) now.\n`);
  });
};

const addDelete = (users: Command, terminal: Terminal): void => {
  const end = users
    .command("delete")
    .description("delete a user with posts, comments and sessions; asks first")
    .argument("<email-or-id>", "whom")
    .option("--yes", "do not ask");
  addAction(end, terminal, async (session, whom: string, { yes }: { yes?: boolean }) => {
    const id = await idOfUser(session, whom);
    const call = { operation: "users.delete" } as const;
    await requireConfirmed(terminal, session, { ...call, params: { id: whom } }, yes);
    await session.run({ ...call, params: { id } });
    terminal.stdout.write(`Deleted ${whom} (${id}).\n`);
  });
};

/** `postern users …` */
export const addUserCommands = (users: Command, terminal: Terminal): void => {
  for (const add of [
    addCreate,
    addInvite,
    addList,
    addPromote,
    addShow,
    addResetPassword,
    addEndSecondFactor,
    addLink,
    addDelete,
  ]) {
    add(users, terminal);
  }
};
