import type { ErrorCode, Ports } from "@postern/core";
import { AppError } from "@postern/core";
import type { AnswerStore } from "@postern/core/ports";
import { networkOf } from "../limits/limits.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import type { KeptBytes, Sharer } from "./kept-bytes.ts";

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
  readonly refusal?: Pick<
    NonNullable<ConstructorParameters<typeof AppError>[1]>,
    "detail" | "faults" | "headers" | "extra" | "own"
  > & { readonly code: ErrorCode };
}

/** What a key does in the transaction of its request. */
export interface KeyUse {
  /** Call it first. */
  take(answers: AnswerStore): Promise<void>;
  /** Call it last. */
  keep(answers: AnswerStore, answer: OperationAnswer): Promise<void>;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /**
   * The caller, such as `user <id>`. Strangers are told apart by address. A caller who does not send
   * exactly the same request gets only a refusal.
   */
  readonly caller: string;
  readonly admin: boolean;
  /** For whom the bytes of the kept answer are counted. */
  readonly sharer: Sharer;
  /** The network address. */
  readonly address: string;
  /** The operation, by method and path. */
  readonly method: string;
  readonly path: string;
  readonly version: string;
  /** Path and query as they were sent, and what of them comes before the path of the operation. */
  readonly target: string;
  readonly base: string;
  /** The body as it was sent. */
  readonly bodyText: string;
}

export type IdempotentAnswers = ReturnType<typeof idempotentAnswers>;

type KeptPorts = Pick<Ports, "secretBox" | "storage" | "clock">;

const createKeptAnswers = ({ secretBox, storage, clock }: KeptPorts) => {
  /** Compares requests. Without the base, because a version may be reached with and without its name in the path. */
  const fingerprintOf = ({ target, base, bodyText }: KeyedRequest): Promise<string> =>
    secretBox.digest(JSON.stringify([target.startsWith(base) ? target.slice(base.length) : target, bodyText]));

  const seal = async (storeKey: string, content: Sealed) => ({
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
    if (content.admin && !request.admin) throw new AppError("forbidden");
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
    const { code, detail, faults, headers, extra, own } = error;
    const fingerprint = await fingerprintOf(request);
    const told = { ...(detail === undefined ? {} : { detail }), ...(own === undefined ? {} : { own }) };
    const refusal = { code, ...told, faults, headers, extra };
    const kept = await seal(storeKey, { fingerprint, admin: request.admin, refusal });
    await storage.transaction(
      async ({ answers }) => {
        if (await answers.claim(storeKey, clock.now())) await answers.keep(kept);
      },
      { network: networkOf(request.address) },
    );
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
    run: (claim: KeyUse) => Promise<OperationAnswer>,
  ): Promise<OperationAnswer> => {
    const known = await replay(storeKey, request);
    if (known !== undefined) return known;
    // Before the transaction, so that the transaction does not wait for it.
    const fingerprint = await fingerprintOf(request);
    const reservation = await keptBytes.reserve(request.sharer);
    let bytes = 0;
    try {
      return await run({
        take: async (answers) => {
          if (!(await answers.claim(storeKey, clock.now()))) throw new KeyTaken();
        },
        keep: async (answers, answer) => {
          const kept = await seal(storeKey, { fingerprint, admin: request.admin, answer });
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
      await reservation.settle(bytes);
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
      run: (claim: KeyUse) => Promise<OperationAnswer>,
    ): Promise<OperationAnswer> => {
      const { caller, method, path, version, key } = request;
      const scope = [caller, method, path, version, key];
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

const inProgress = (): AppError =>
  new AppError("idempotency_in_progress", {
    detail: "A request with this Idempotency-Key is being answered at the moment; send it again in a second.",
    headers: { "retry-after": "1" },
  });
