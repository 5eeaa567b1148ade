import Sqlite from "better-sqlite3";
import { callers, moment, postId, postsOf, text, title, userId, users } from "../data.mjs";

/** The same tables as Postern's, with the one index that these apps use. */
export const makeDatabase = (file) => {
  const db = new Sqlite(file);
  db.pragma("journal_mode = WAL");
  db.exec(`
    CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
    CREATE TABLE posts (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, title TEXT NOT NULL,
      body TEXT NOT NULL, status TEXT NOT NULL, published_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
    CREATE INDEX posts_user_id ON posts (user_id, id);`);
  const user = db.prepare("INSERT INTO users VALUES (?, ?, ?, 'user', ?, ?)");
  const post = db.prepare("INSERT INTO posts VALUES (?, ?, ?, ?, 'draft', NULL, ?, ?)");
  db.transaction(() => {
    for (let n = 0; n < users; n += 1) {
      user.run(userId(n), `User ${n}`, `user${n}@example.com`, moment, moment);
      for (let p = 0; p < postsOf(n); p += 1) post.run(postId(n, p), userId(n), title(n, p), text, moment, moment);
    }
  })();
  db.close();
  return callers;
};
