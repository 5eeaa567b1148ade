/** A message from a member of a group of processes to the first process. */
export type MemberMessage =
  | { readonly kind: "ready"; readonly url: string | undefined; readonly banner: string }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string };

/** A message from the first process to a member. */
export type GroupMessage = { readonly kind: "stop" } | { readonly kind: "metrics"; readonly id: number };
