import { storedDefinition } from "@postern/inbox/internal";
import type { Command } from "commander";
import { addCall, endsAtOnce } from "../actions.ts";
import { secondsOf } from "../moment.ts";
import { addList, type Columns, type ItemOf } from "../print-list.ts";
import { noteAtTerminal, providerNamed, withSession } from "../session.ts";
import { CommandError, exitCodes, keyFrom, type Terminal } from "../terminal.ts";

const columns: Columns<ItemOf<"admin.providers.list">> = {
  name: "name",
  scheme: "scheme",
  source: "source",
  path: "path",
  keys: ({ keys }) =>
    keys.map(({ state, not_after }) => (not_after === null ? state : `${state} until ${not_after}`)).join(", "),
};

interface AddOptions {
  readonly scheme?: string;
  readonly keyFile?: string;
  readonly keyId?: string;
  readonly withoutKey?: boolean;
  readonly jwksUrl?: string;
  readonly setting?: readonly string[];
  readonly tolerance?: string;
  readonly allowShort?: boolean;
  readonly dedupe?: string;
  readonly dedupeId?: string;
  readonly dedupeWindow?: string;
  readonly header?: readonly string[];
  readonly replayOnResend?: boolean;
  readonly keepRefusedBodies?: boolean;
}

interface RotateOptions {
  readonly keyFile?: string;
  readonly keyId?: string;
  readonly overlap: string;
}

/** Reads `name=value` pairs. A name that occurs twice gets a list. */
const settingsOf = (pairs: readonly string[]): Readonly<Record<string, string | readonly string[]>> => {
  const settings = new Map<string, string[]>();
  for (const pair of pairs) {
    const [, name, value] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      throw new CommandError(exitCodes.usage, `--setting takes name=value, not ${pair.replace(/=.*/s, "=…")}.`);
    }
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...settings].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
};

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** `--dedupe` and what belongs to it, as the operation takes them. */
const dedupeOf = ({ dedupe: by, dedupeId: id, dedupeWindow: window }: AddOptions) => {
  if (id !== undefined && by !== "id") throw new CommandError(exitCodes.usage, "--dedupe-id needs --dedupe id.");
  if (window !== undefined && by !== "body")
    throw new CommandError(exitCodes.usage, "--dedupe-window needs --dedupe body.");
  if (by === undefined) return {};
  const more = window === undefined ? {} : { window_seconds: secondsOf("--dedupe-window", window) };
  return { dedupe: { by, ...(id === undefined ? {} : { id }), ...more } };
};

const addListCommand = (providers: Command, terminal: Terminal): void => {
  const described = providers
    .command("list")
    .description("list all senders: those of the configuration and those added at run time");
  addList(described, terminal, columns, async ({ run }) => (await run({ operation: "admin.providers.list" })).data);
};

const addAddCommand = (providers: Command, terminal: Terminal): void => {
  const add = providers
    .command("add")
    .description("add a sender; its key is asked for, or read from standard input or a file")
    .argument("<name>", "the last part of its path: lower-case letters, digits and hyphens")
    .option("--scheme <scheme>", "how it signs (default: the scheme with its name)")
    .option("--key-file <path>", "read the key from a file; - is standard input")
    .option("--key-id <id>", "what the sender's messages call the key, where they name keys")
    .option("--without-key", "add it without a key, which it gives later: Moneybird calls you before it gives one")
    .option("--jwks-url <url>", "take public keys from there instead")
    .option("--setting <name=value>", "what the scheme needs besides keys; several times", collect)
    .option("--tolerance <seconds>", "how far the signed time may be from now")
    .option("--allow-short", "accept a secret under 16 bytes, for a sender whose secret cannot be replaced")
    .option("--dedupe <what>", "what makes a delivery a repeat: id, body or none (default: what its scheme says)")
    .option("--dedupe-id <place>", "with --dedupe id: where the id is, such as header:x-event-id")
    .option("--dedupe-window <time>", "with --dedupe body: for how long the same body is a repeat: 10m, 1d")
    .option(
      "--header <name>",
      "also keep this header with its events, or with * at the end all that begin so; several times",
      collect,
    )
    .option("--replay-on-resend", "run a dead event again when the sender sends it again")
    .option("--keep-refused-bodies", "keep the bodies of refused deliveries, up to 64 KiB and for a day");
  addCall(add, terminal, {
    call: async (name: string, options: AddOptions) => {
      const { scheme, keyFile, keyId, withoutKey, jwksUrl, setting = [], tolerance } = options;
      const { allowShort, header, replayOnResend, keepRefusedBodies } = options;
      const settings = settingsOf(setting);
      if (keyFile !== undefined && jwksUrl !== undefined)
        throw new CommandError(exitCodes.usage, "Give either --key-file or --jwks-url, not both.");
      // With `acceptSecret`, the key comes from the sender itself with its handshake.
      const isAwaited = (withoutKey === true || settings.acceptSecret === "yes") && keyFile === undefined;
      const asked = async () => (isAwaited ? {} : { key: await keyFrom(terminal, keyFile) });
      const key = jwksUrl === undefined ? await asked() : { jwks_url: jwksUrl };
      const body = {
        name,
        ...key,
        ...(scheme === undefined ? {} : { scheme }),
        ...(keyId === undefined ? {} : { key_id: keyId }),
        ...(setting.length === 0 ? {} : { settings }),
        ...(allowShort === undefined ? {} : { allow_short: allowShort }),
        ...dedupeOf(options),
        ...(header === undefined ? {} : { headers: header.map((name) => name.toLowerCase()) }),
        ...(replayOnResend === undefined ? {} : { replay_on_resend: replayOnResend }),
        ...(keepRefusedBodies === undefined ? {} : { keep_refused_bodies: keepRefusedBodies }),
        ...(tolerance === undefined ? {} : { tolerance_seconds: secondsOf("--tolerance", tolerance) }),
      };
      return { operation: "admin.providers.create", body };
    },
    tell: ({ name, scheme, path }) => terminal.stdout.write(`Added ${name} (${scheme}); it delivers to ${path}.\n`),
    json: "the provider",
  });
};

const addRotateCommand = (providers: Command, terminal: Terminal): void => {
  const rotate = providers
    .command("rotate")
    .description("give a sender a new key; the old ones stay valid for a while")
    .argument("<name>", "which sender")
    .option("--key-file <path>", "read the key from a file; - is standard input")
    .option("--key-id <id>", "what the sender's messages call the key, where they name keys")
    .option("--overlap <time>", "how long the old keys stay valid: 30m, 24h, 7d; 0 ends them at once, and asks", "24h");
  addCall(rotate, terminal, {
    call: async (name: string, { keyFile, keyId, overlap }: RotateOptions) => {
      const overlap_seconds = secondsOf("--overlap", overlap);
      const key = await keyFrom(terminal, keyFile);
      const body = { key, overlap_seconds, ...(keyId === undefined ? {} : { key_id: keyId }) };
      return { operation: "admin.providers.rotate", params: { name }, body };
    },
    tell: ({ keys }, name) => {
      const old = keys.find(({ not_after, state }) => state === "good" && not_after !== null);
      const until = old === undefined ? "no old key is good any more" : `the old one is good until ${old.not_after}`;
      terminal.stdout.write(`${name} has a new key; ${until}.\n`);
    },
    yes: "do not ask",
    asks: endsAtOnce,
    json: "the provider",
  });
};

const addShowKeyCommand = (providers: Command, terminal: Terminal): void => {
  providers
    .command("show-key")
    .description("print the key that a sender gave with its handshake; Notion asks you for it")
    .argument("<name>", "which sender")
    .action(async (name: string) => {
      await withSession(terminal, async ({ composition }) => {
        const stored = await storedDefinition(composition.ports, name);
        if (stored === undefined) await providerNamed(composition, name);
        if (stored?.scheme.keyComes !== "handshake") {
          const why = "only keys that came with a handshake are shown, and only of senders that were added at run time";
          throw new CommandError(exitCodes.notAllowed, `The key of ${name} is not shown: ${why}.`);
        }
        const key = stored.keys.at(-1);
        if (key === undefined) {
          throw new CommandError(exitCodes.notAllowed, `${name} has no key yet: begin the handshake at the sender.`);
        }
        // The audit log notes who sees a key before the key is shown.
        const about = { resource: "webhook_provider", resourceId: name };
        await noteAtTerminal(composition.ports, { action: "providers.show-key", ...about });
        terminal.stdout.write(`${typeof key === "string" ? key : key.key}\n`);
      });
    });
};

const addRemoveCommand = (providers: Command, terminal: Terminal): void => {
  const remove = providers
    .command("remove")
    .description("remove a sender; its events stay, its deliveries are refused")
    .argument("<name>", "which sender");
  addCall(remove, terminal, {
    call: (name: string) => ({ operation: "admin.providers.delete", params: { name } }),
    tell: (_none, name) => terminal.stdout.write(`Removed ${name}.\n`),
    yes: "do it without being asked",
  });
};

/** `postern providers …` */
export const addProviderCommands = (providers: Command, terminal: Terminal): void => {
  addListCommand(providers, terminal);
  addAddCommand(providers, terminal);
  addRotateCommand(providers, terminal);
  addShowKeyCommand(providers, terminal);
  addRemoveCommand(providers, terminal);
};
