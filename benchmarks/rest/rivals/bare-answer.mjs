// One post as JSON: what the two bare servers always answer.
import { moment, postId, text, title, userId } from "../data.mjs";

export const bytes = Buffer.from(
  JSON.stringify({
    id: postId(0, 0),
    user_id: userId(0),
    title: title(0, 0),
    body: text,
    status: "draft",
    published_at: null,
    created_at: moment,
    updated_at: moment,
  }),
);
