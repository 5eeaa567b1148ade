import type { AnswerStore, KeptAnswer } from "../ports/answer-store.ts";
import type { Journal } from "./journal.ts";

/**
 * `undefined` marks a key that is claimed and has no answer yet. Only its own transaction can see
 * it, because there is one transaction at a time.
 */
export type AnswerTable = Map<string, KeptAnswer | undefined>;

export const memoryAnswers = (answers: AnswerTable, journal: Journal): AnswerStore => {
  const live = (key: string, now: number): KeptAnswer | undefined => {
    const kept = answers.get(key);
    return kept === undefined || kept.expiresAt <= now ? undefined : kept;
  };
  return {
    find: async (key, now) => live(key, now),
    claim: async (key, now) => {
      if (live(key, now) !== undefined) return false;
      journal.set(answers, key, undefined);
      return true;
    },
    keep: async (answer) => {
      if (!answers.has(answer.key)) throw new TypeError("an answer is kept only under a key that was claimed");
      journal.set(answers, answer.key, answer);
    },
    purge: async (now, limit) => {
      const expired = [...answers.values()]
        .filter((kept) => kept !== undefined && kept.expiresAt < now)
        .slice(0, limit);
      for (const kept of expired) if (kept !== undefined) journal.delete(answers, kept.key);
      return expired.length;
    },
  };
};
