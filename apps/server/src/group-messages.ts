/** What a member of a group of processes tells the first process. */
export type MemberMessage =
  | { readonly kind: "ready"; readonly url: string | undefined; readonly banner: string }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string };

/** What the first process tells a member. */
export type GroupMessage = { readonly kind: "stop" } | { readonly kind: "metrics"; readonly id: number };
