import type { VersionChange } from "@postern/rest";
import { renameField } from "@postern/rest";

export const textsAreBodies: VersionChange = {
  id: "texts-are-bodies",
  kind: "renamed",
  title: "The text of posts and comments is called body",
  why: "The name `content` was too general: every field is the content of something.",
  migration: "Read and write `body` where you used `content`; nothing else about it changed.",
  effects: [
    renameField({ resource: "post", from: "content", to: "body" }),
    renameField({ resource: "comment", from: "content", to: "body" }),
  ],
};
