import { AppError, type Ports } from "@postern/core";
import type { AuditEntry, PublicSigningKey, SigningKey, SigningKeyStore, StoredSigningKey } from "@postern/core/ports";

/** The dependencies of signing keys. */
export type SigningKeyPorts = Pick<Ports, "storage" | "signer" | "secretBox" | "clock" | "telemetry">;

/** Each process looks for changes of other processes this often. */
const readAgainMs = 10_000;
/**
 * A key that has ended stays in the list for this long, so that you can tell which key a token is
 * from.
 */
const keptEndedMs = 7 * 24 * 3_600_000;

const sealContext = (kid: string): string => `signing key ${kid}`;

/** The keys of access tokens, as one process knows them. */
export interface SigningKeys {
  /** The key that signs now. The first call on a new database makes keys. */
  active(): Promise<SigningKey>;
  /** The key of this name, if its tokens are valid now. Another process's new key is found, too. */
  find(kid: string): Promise<PublicSigningKey | undefined>;
  /** All keys whose tokens are valid now or soon: the active one, the next one, retired ones. */
  published(): Promise<readonly StoredSigningKey[]>;
}

interface Read {
  readonly keys: readonly StoredSigningKey[];
  /** On the monotonic clock. */
  readonly at: number;
}

/** The audit entry for what the server itself does with its signing keys. */
export const keyEntry = (at: number, action: string, kid: string): AuditEntry => ({
  at,
  actor: { kind: "operator", id: "server" },
  action,
  resource: "signing_key",
  resourceId: kid.slice(0, 64),
  result: "done",
  requestId: "server",
  address: "local",
  fields: [],
});

/** A new key, sealed for the storage. */
const newKey = async (
  { signer, secretBox, clock }: SigningKeyPorts,
  state: "active" | "next",
): Promise<StoredSigningKey> => {
  const { kid, publicKey, privateKey } = await signer.newSigningKey();
  const now = clock.now();
  return {
    kid,
    state,
    publicKey,
    sealedKey: await secretBox.seal(privateKey, sealContext(kid)),
    createdAt: now,
    activeFrom: state === "active" ? now : undefined,
    endsAt: undefined,
  };
};

/** Makes the first keys of a database. Processes that start at the same time agree on one pair. */
const makeFirstKeys = async (ports: SigningKeyPorts): Promise<void> => {
  const now = ports.clock.now();
  const made = [await newKey(ports, "active"), await newKey(ports, "next")];
  await ports.storage
    .transaction(async ({ signingKeys, audit }) => {
      const known = await signingKeys.hold();
      if (known.some(({ state }) => state === "active")) return;
      for (const key of made) {
        if (known.some(({ state }) => state === key.state)) continue;
        await signingKeys.save(key);
        await audit.append(keyEntry(now, "signing-keys.create", key.kid));
      }
    })
    .catch((thrown: unknown) => {
      // Another process was first.
      if (!(thrown instanceof AppError && thrown.code === "state_conflict")) throw thrown;
    });
};

const isValid = ({ endsAt }: StoredSigningKey, now: number): boolean => endsAt === undefined || now < endsAt;

/**
 * The keys of access tokens. They are read every ten seconds, and at once when a token names a key
 * that is not known here. At most one such read runs at a time, however many strangers ask.
 */
export const createSigningKeys = (ports: SigningKeyPorts): SigningKeys => {
  const { storage, secretBox, clock } = ports;
  let last: Read | undefined;
  let reading: Promise<Read> | undefined;
  let opened: SigningKey | undefined;

  const readNow = async (): Promise<Read> => {
    const at = clock.monotonic();
    let keys = await storage.signingKeys.list();
    if (!keys.some(({ state }) => state === "active")) {
      await makeFirstKeys(ports);
      keys = await storage.signingKeys.list();
    }
    last = { keys, at };
    return last;
  };

  const read = (): Promise<Read> => {
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  /** A read that begins after this call, so that it sees everything that was stored before. */
  const readAnew = async (): Promise<Read> => {
    await reading?.catch(() => undefined);
    return read();
  };

  const recent = (): Promise<Read> | Read =>
    last !== undefined && clock.monotonic() - last.at < readAgainMs ? last : read();

  const openKey = async ({ kid, publicKey, sealedKey = "" }: StoredSigningKey): Promise<SigningKey> => {
    if (opened?.kid === kid) return opened;
    const privateKey = await secretBox.open(sealedKey, sealContext(kid)).catch((cause: unknown) => {
      throw new AppError("unavailable", { detail: "Tokens cannot be signed at the moment.", cause });
    });
    opened = { kid, publicKey, privateKey };
    return opened;
  };

  return {
    active: async () => {
      const { keys } = await recent();
      const key = keys.find(({ state }) => state === "active");
      // `readNow` has made one if there was none.
      if (key === undefined) throw new AppError("unavailable", { detail: "There is no signing key." });
      return openKey(key);
    },
    find: async (kid) => {
      const named = ({ keys }: Read) => keys.find((key) => key.kid === kid);
      const key = named(await recent()) ?? named(await readAnew());
      return key !== undefined && isValid(key, clock.now()) ? key : undefined;
    },
    published: async () => {
      const { keys } = await recent();
      return keys.filter((key) => isValid(key, clock.now()));
    },
  };
};

/**
 * A store lists no more keys than this, oldest first. With more keys, the one that signs would not
 * be found.
 */
const mostKeys = 100;
/** A rotation adds one, or two if the next key cannot be opened. */
const addedAtOnce = 2;

/**
 * All keys, with room for those of a rotation. Where there is no room, keys that have ended are
 * deleted at once.
 * @throws AppError `state_conflict` while tokens of too many keys are still valid.
 */
const holdFewerKeys = async (store: SigningKeyStore, now: number): Promise<readonly StoredSigningKey[]> => {
  const keys = await store.hold();
  if (keys.length + addedAtOnce <= mostKeys) return keys;
  // Those that end in this very millisecond, too.
  await store.removeEnded(now + 1);
  const left = await store.hold();
  if (left.length + addedAtOnce <= mostKeys) return left;
  throw new AppError("state_conflict", {
    detail: `Tokens of ${left.length} signing keys are still valid; wait until some of these keys have ended.`,
  });
};

/** Ends tokens of all keys that have retired. */
const endRetired = async (store: SigningKeyStore, now: number): Promise<void> => {
  for (const key of await store.hold()) {
    if (key.state === "retired" && isValid(key, now)) await store.save({ ...key, endsAt: now });
  }
};

/**
 * Lets the next key sign and makes another next one, within a transaction. Tokens of the key that
 * signed so far stay valid for `overlapMs`. With 0, tokens of keys that retired earlier end now,
 * too: nothing that was signed before is valid. If the next key cannot be opened, a new one signs.
 * The returned function throws AppError `state_conflict` for the hundredth key that has not ended.
 */
export const rotateSigningKeys = async (
  ports: SigningKeyPorts,
  overlapMs: number,
): Promise<(store: SigningKeyStore) => Promise<StoredSigningKey>> => {
  const spare = await newKey(ports, "active");
  const after = await newKey(ports, "next");
  return async (store) => {
    const now = ports.clock.now();
    if (overlapMs === 0) await endRetired(store, now);
    const keys = await holdFewerKeys(store, now);
    const waiting = keys.find(({ state }) => state === "next");
    const opens =
      waiting?.sealedKey !== undefined &&
      (await ports.secretBox.open(waiting.sealedKey, sealContext(waiting.kid)).then(
        () => true,
        () => false,
      ));
    // Nothing is signed with a retired key, so its private half is forgotten.
    const retire = (key: StoredSigningKey, endsAt: number): Promise<void> =>
      store.save({ ...key, state: "retired", sealedKey: undefined, endsAt });
    for (const key of keys) {
      if (key.state === "active") await retire(key, now + overlapMs);
      if (key.state === "next" && !opens) await retire(key, now);
    }
    const active: StoredSigningKey = opens ? { ...waiting, state: "active", activeFrom: now } : spare;
    await store.save(active);
    await store.save(after);
    await store.removeEnded(now - keptEndedMs);
    return active;
  };
};

/** Whether the keys that sign now and next open with the secret keys of this process. */
export const signingKeysOpen = async ({
  storage,
  secretBox,
}: Pick<Ports, "storage" | "secretBox">): Promise<boolean> => {
  const keys = (await storage.signingKeys.list()).filter(({ state }) => state !== "retired");
  const tries = await Promise.allSettled(
    keys.map(({ kid, sealedKey = "" }) => secretBox.open(sealedKey, sealContext(kid))),
  );
  return tries.every(({ status }) => status === "fulfilled");
};

/**
 * Seals the signing keys under the current secret key. You can run it again at any time, even while
 * servers run that know both keys.
 * @returns How many keys were sealed.
 * @throws Error if one cannot be opened; then nothing is changed.
 */
export const resealSigningKeys = ({ storage, secretBox }: Pick<Ports, "storage" | "secretBox">): Promise<number> =>
  storage.transaction(async ({ signingKeys }) => {
    let resealed = 0;
    for (const key of await signingKeys.hold()) {
      if (key.sealedKey === undefined) continue;
      const context = sealContext(key.kid);
      const sealedKey = await secretBox.seal(await secretBox.open(key.sealedKey, context), context);
      await signingKeys.save({ ...key, sealedKey });
      resealed += 1;
    }
    return resealed;
  });
