import type { AnswerStore, KeptAnswer, Ports } from "@postern/core";
import { AppError, type AppErrorOptions, type ErrorCode } from "@postern/core";
import { isAdmin, type Principal } from "../access/principal.ts";
import { networkOf } from "../limits/network-of.ts";
import type { Operation, OperationAnswer, RequestFacts } from "../operations/operation.ts";
import type { KeptBytes } from "./kept-bytes.ts";

/** How long a key is remembered: 24 hours. */
const keptMs = 24 * 3600 * 1000;

/**
 * Refusals that are kept like any other outcome. Such a request was understood and decided, and
 * would be decided the same way again.
 */
const keptRefusals: ReadonlySet<ErrorCode> = new Set(["conflict", "state_conflict"]);

/** Thrown if another process answered under the key after this one looked and before it claimed. */
class KeyTaken extends Error {
  override readonly name = "KeyTaken";
}

/**
 * The content of a kept answer, which is encrypted. Nothing about a request is stored in plain
 * text, not even a digest: the password in a body could be guessed from the digest.
 */
interface Sealed {
  readonly fingerprint: string;
  /** Whether an administrator asked. The same user may see less later. */
  readonly admin: boolean;
  readonly answer?: OperationAnswer;
  readonly refusal?: { readonly code: ErrorCode } & Pick<AppErrorOptions, "detail" | "faults" | "headers" | "extra">;
}

/** What a key does in the transaction of its request. */
export interface Claim {
  /** Call it first. */
  take(answers: AnswerStore): Promise<void>;
  /** Call it last. */
  keep(answers: AnswerStore, answer: OperationAnswer): Promise<void>;
}

export interface KeyedRequest {
  readonly key: string;
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly principal: Principal | undefined;
  /** The body as it was sent. */
  readonly bodyText: string;
}

export type IdempotentAnswers = ReturnType<typeof idempotentAnswers>;

type KeptPorts = Pick<Ports, "secretBox" | "storage" | "clock">;

/** Writes and reads kept answers. `storeKey` is the key under which the storage knows an answer. */
const createKeptAnswers = ({ secretBox, storage, clock }: KeptPorts) => {
  // Without the base, because a version may be reached with and without its name in the path.
  const fingerprintOf = ({ facts: { target, base }, bodyText }: KeyedRequest): Promise<string> =>
    secretBox.digest(JSON.stringify([target.startsWith(base) ? target.slice(base.length) : target, bodyText]));

  const seal = async (storeKey: string, content: Sealed): Promise<KeptAnswer> => ({
    key: storeKey,
    sealed: await secretBox.seal(JSON.stringify(content), contextOf(storeKey)),
    expiresAt: clock.now() + keptMs,
  });

  /**
   * The answer kept under the key, if the request is the same.
   * @throws AppError `idempotency_key_reused`, `forbidden`, and a kept refusal.
   */
  const replay = async (storeKey: string, request: KeyedRequest): Promise<OperationAnswer | undefined> => {
    const kept = await storage.answers.find(storeKey, clock.now());
    if (kept === undefined) return undefined;
    const opened = await secretBox.open(kept.sealed, contextOf(storeKey)).catch((cause: unknown) => {
      // The answer was encrypted with a secret key that this process does not have. The effect has
      // happened, so running the request again would double it.
      throw new AppError("idempotency_key_reused", {
        detail: "The answer that is kept under this Idempotency-Key can no longer be read; use a new key.",
        cause,
      });
    });
    // Written by `seal` above.
    const content = JSON.parse(opened) as Sealed;
    if (content.fingerprint !== (await fingerprintOf(request))) {
      throw new AppError("idempotency_key_reused", {
        detail: "This Idempotency-Key was used with another request; use a new key.",
      });
    }
    if (content.admin && !isAdmin(request.principal)) throw new AppError("forbidden");
    const { refusal, answer } = content;
    if (refusal !== undefined) {
      throw new AppError(refusal.code, { ...refusal, headers: { ...refusal.headers, ...replayed } });
    }
    return answer === undefined ? undefined : { ...answer, headers: { ...answer.headers, ...replayed } };
  };

  /**
   * Keeps a refusal, which has no effect, unless another process has kept an answer first. Returns
   * its length in bytes.
   */
  const keepRefusal = async (storeKey: string, request: KeyedRequest, error: AppError): Promise<number> => {
    const { code, detail, faults, headers, extra } = error;
    const fingerprint = await fingerprintOf(request);
    const refusal = { code, ...(detail === undefined ? {} : { detail }), faults, headers, extra };
    const kept = await seal(storeKey, { fingerprint, admin: isAdmin(request.principal), refusal });
    await storage.transaction(async ({ answers }) => {
      if (await answers.claim(storeKey, clock.now())) await answers.keep(kept);
    }, networkOf(request.facts.address));
    return kept.sealed.length;
  };

  return { fingerprintOf, seal, replay, keepRefusal };
};

/**
 * Runs a request once for each idempotency key. The effect and its kept answer are one transaction,
 * so after any failure you have both or neither. There is no mark for a request in progress, which
 * a crash could leave behind. Within a process, a set knows which requests are being answered.
 * Between processes, the claim waits for the other transaction to end.
 */
export const idempotentAnswers = (ports: KeptPorts, keptBytes: KeptBytes) => {
  const { secretBox, clock } = ports;
  const { fingerprintOf, seal, replay, keepRefusal } = createKeptAnswers(ports);
  const underWay = new Set<string>();

  const runOnce = async (
    storeKey: string,
    request: KeyedRequest,
    run: (claim: Claim) => Promise<OperationAnswer>,
  ): Promise<OperationAnswer> => {
    const known = await replay(storeKey, request);
    if (known !== undefined) return known;
    // Before the transaction, so that the transaction does not wait for it.
    const fingerprint = await fingerprintOf(request);
    const room = await keptBytes.reserve(sharerOf(request));
    let bytes = 0;
    try {
      return await run({
        take: async (answers) => {
          if (!(await answers.claim(storeKey, clock.now()))) throw new KeyTaken();
        },
        keep: async (answers, answer) => {
          const kept = await seal(storeKey, { fingerprint, admin: isAdmin(request.principal), answer });
          await answers.keep(kept);
          bytes = kept.sealed.length;
        },
      });
    } catch (thrown) {
      bytes = 0;
      // If another process has answered under the key in the meantime, this request gets the same
      // answer.
      const meanwhile = await replay(storeKey, request);
      if (meanwhile !== undefined) return meanwhile;
      if (thrown instanceof KeyTaken) throw inProgress();
      if (thrown instanceof AppError && keptRefusals.has(thrown.code))
        bytes = await keepRefusal(storeKey, request, thrown);
      throw thrown;
    } finally {
      await room.settle(bytes);
    }
  };

  return {
    /**
     * Returns the kept answer of this request, or else the answer of `run`. `run` must put the
     * claim into the transaction of its effect.
     * @throws AppError `idempotency_in_progress`, `idempotency_key_reused`, and whatever `run`
     *   throws.
     */
    answerOnce: async (
      request: KeyedRequest,
      run: (claim: Claim) => Promise<OperationAnswer>,
    ): Promise<OperationAnswer> => {
      const { key, operation, facts, principal } = request;
      const scope = [whoOf(principal, facts), operation.method, operation.path, facts.version.id, key];
      const storeKey = await secretBox.digest(JSON.stringify(scope));
      if (underWay.has(storeKey)) throw inProgress();
      underWay.add(storeKey);
      try {
        return await runOnce(storeKey, request, run);
      } finally {
        underWay.delete(storeKey);
      }
    },
  };
};

const replayed = { "idempotency-replayed": "true" } as const;

const contextOf = (storeKey: string): string => `kept answer ${storeKey}`;

/**
 * Requests without a principal are distinguished by address. A caller who does not send exactly the
 * same request gets only a refusal.
 */
const whoOf = (principal: Principal | undefined, { address }: RequestFacts): string => {
  if (principal === undefined) return `address ${address}`;
  return principal.kind === "user" ? `user ${principal.userId}` : `operator ${principal.name}`;
};

/**
 * Says for whom the bytes of a kept answer are counted: for the user, or for the network of a
 * caller without an account. Addresses are not counted one by one, because a caller in an IPv6
 * network can choose among many.
 */
const sharerOf = ({ principal, facts }: KeyedRequest): string =>
  principal === undefined ? `address ${networkOf(facts.address)}` : whoOf(principal, facts);

const inProgress = (): AppError =>
  new AppError("idempotency_in_progress", {
    detail: "A request with this Idempotency-Key is being answered at the moment; send it again in a second.",
    headers: { "retry-after": "1" },
  });
