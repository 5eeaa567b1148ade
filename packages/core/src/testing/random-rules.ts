import { type AccessRule, allOf, anyOf, nobody, ownedBy, signedIn, through, where, withRole } from "../model/rules.ts";

/** Numbers from 0 to below `below`, the same for every run. */
const createDice = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** For each resource of the contract: the references that lead on, and the values that its rows may have. */
const places = {
  comment: { owner: "user_id", via: ["post_id", "post"], values: [["body", "Comment 21"]] },
  post: {
    owner: "user_id",
    via: ["user_id", "user"],
    values: [
      ["status", "published"],
      ["status", "archived"],
    ],
  },
  user: { owner: "id", via: undefined, values: [["role", "user"]] },
} as const;

/** Access rules on one of these resources, of every kind and mixed. */
export const randomRules = (resource: keyof typeof places, count: number, seed = 1): readonly AccessRule[] => {
  const dice = createDice(seed);
  const several = (of: keyof typeof places, deep: number) => Array.from({ length: dice(4) }, () => make(of, deep - 1));
  const make = (of: keyof typeof places, deep: number): AccessRule => {
    const { owner, via, values } = places[of];
    const simple = [
      () => ownedBy(owner),
      () => {
        const [field, value] = values[dice(values.length)] ?? values[0];
        return where<string>(field, value);
      },
      () => withRole("editor", "support"),
      () => signedIn,
      () => nobody,
    ];
    const mixed = [
      () => anyOf(...several(of, deep)),
      () => allOf(...several(of, deep)),
      ...(via === undefined ? [] : [() => through(via[0], via[1], make(via[1], deep))]),
    ];
    const kinds = deep > 0 ? [...simple, ...mixed, ...mixed] : simple;
    return (kinds[dice(kinds.length)] ?? (() => nobody))();
  };
  return Array.from({ length: count }, () => make(resource, 3));
};
