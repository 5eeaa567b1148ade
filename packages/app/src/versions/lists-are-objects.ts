import type { VersionChange } from "@postern/rest";
import { wrapLists } from "@postern/rest";

export const listsAreObjects: VersionChange = {
  id: "lists-are-objects",
  kind: "changed",
  title: "Lists are objects with data and page",
  why: "A bare array has no room for anything beside its items.",
  migration: "Read the items from `data`, and whether there are more from `page`. The `Link` headers stay.",
  effects: [wrapLists()],
};
