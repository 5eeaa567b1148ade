import { describe, expect, test } from "vitest";
import { parametersOf, parseDatabaseUrl } from "../src/engine/database-url.ts";

const secret = "hunter2";
const noVerify = { rejectUnauthorized: false };
const verified = { rejectUnauthorized: true };

/** What providers and their pages print, with another password, and what it is. */
const printed: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  Neon: [
    [
      `postgresql://neondb_owner:${secret}@ep-cool-darkness-123456.us-east-2.aws.neon.tech/neondb?sslmode=require&channel_binding=require`,
      { user: "neondb_owner", database: "neondb", tls: noVerify, channelBinding: true, pooled: false },
    ],
    [
      `postgres://neondb_owner:${secret}@ep-cool-darkness-123456-pooler.us-east-2.aws.neon.tech/neondb?sslmode=require&pgbouncer=true&connect_timeout=15`,
      { pooled: true, tls: noVerify },
    ],
    [
      `postgres://alex:${secret}@ep-cool-darkness-123456.us-east-2.aws.neon.tech/dbname?options=endpoint%3Dep-cool-darkness-123456&sslmode=verify-full`,
      { tls: verified, schema: undefined },
    ],
  ],
  Supabase: [
    [`postgresql://postgres:${secret}@db.abcdefghijklmnopqrst.supabase.co:5432/postgres`, { tls: undefined }],
    [
      `postgresql://postgres.abcdefghijklmnopqrst:${secret}@aws-0-eu-central-1.pooler.supabase.com:5432/postgres`,
      { user: "postgres.abcdefghijklmnopqrst", pooled: false },
    ],
    [
      `postgresql://postgres.abcdefghijklmnopqrst:${secret}@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true`,
      { pooled: true, hosts: [{ host: "aws-0-eu-central-1.pooler.supabase.com", port: 6543 }] },
    ],
  ],
  "Amazon RDS": [
    [
      `postgres://postgres:${secret}@shop.abc123.eu-central-1.rds.amazonaws.com:5432/postgres?sslmode=no-verify`,
      { tls: noVerify },
    ],
    [`mysql://admin:${secret}@shop.abc123.eu-central-1.rds.amazonaws.com:3306/shop?ssl-mode=REQUIRED`, { tls: {} }],
    [`mysql://admin:${secret}@shop.abc123.eu-central-1.rds.amazonaws.com:3306/shop?useSSL=true`, { tls: {} }],
  ],
  Aiven: [
    [
      `postgres://avnadmin:AVNS_${secret}@pg-3b8d4ed6-shop.a.aivencloud.com:20985/defaultdb?sslmode=require`,
      { tls: noVerify, hosts: [{ host: "pg-3b8d4ed6-shop.a.aivencloud.com", port: 20985 }] },
    ],
    [`mysql://avnadmin:AVNS_${secret}@mysql-shop.a.aivencloud.com:20985/defaultdb?ssl-mode=REQUIRED`, { tls: {} }],
  ],
  DigitalOcean: [
    [
      `postgresql://doadmin:AVNS_${secret}@db-postgresql-fra1-12345-do-user-1-0.b.db.ondigitalocean.com:25060/defaultdb?sslmode=require`,
      { tls: noVerify },
    ],
    [
      `mysql://doadmin:AVNS_${secret}@db-mysql-fra1-12345-do-user-1-0.b.db.ondigitalocean.com:25060/defaultdb?ssl-mode=REQUIRED`,
      { tls: {} },
    ],
  ],
  PlanetScale: [
    [`mysql://abc:pscale_pw_${secret}@aws.connect.psdb.cloud/shop?sslaccept=strict`, { tls: {}, database: "shop" }],
    [`mysql://abc:pscale_pw_${secret}@aws.connect.psdb.cloud/shop?ssl={"rejectUnauthorized":true}`, { tls: {} }],
    [
      `mysql://abc:pscale_pw_${secret}@aws.connect.psdb.cloud/shop?ssl=%7B%22rejectUnauthorized%22%3Atrue%7D`,
      { tls: {} },
    ],
    [
      `postgresql://pscale_api_abc.def:pscale_pw_${secret}@eu-central-1.pg.psdb.cloud:5432/postgres?sslmode=verify-full&sslrootcert=system&sslnegotiation=direct`,
      { tls: verified },
    ],
  ],
  Railway: [
    [`postgresql://postgres:${secret}@monorail.proxy.rlwy.net:12345/railway`, { database: "railway" }],
    [`postgresql://postgres:${secret}@postgres.railway.internal:5432/railway`, { database: "railway" }],
    [`mysql://root:${secret}@mysql.railway.internal:3306/railway`, { user: "root" }],
  ],
  Fly: [
    [`postgres://postgres:${secret}@shop-db.flycast:5432/shop?sslmode=disable`, { tls: undefined }],
    [`postgres://shop:${secret}@top2.nearest.of.shop-db.internal:5432/shop?sslmode=disable`, { tls: undefined }],
    [`postgresql://fly-user:${secret}@direct.abcdef.flympg.net/fly-db`, { database: "fly-db" }],
  ],
  Heroku: [
    [`postgres://u1abc:${secret}@ec2-1-2-3-4.compute-1.amazonaws.com:5432/d1abc?sslmode=no-verify`, { tls: noVerify }],
    [`mysql://b1abc:${secret}@us-cdbr-east-04.cleardb.com/heroku_1?reconnect=true`, { database: "heroku_1" }],
  ],
  Render: [
    [`postgresql://shop_user:${secret}@dpg-abc123-a/shop_db`, { hosts: [{ host: "dpg-abc123-a", port: 5432 }] }],
    [`postgresql://shop_user:${secret}@dpg-abc123-a.frankfurt-postgres.render.com/shop_db?ssl=true`, { tls: verified }],
  ],
  Azure: [
    [
      `postgres://ada%40shop:${secret}@shop.postgres.database.azure.com:5432/postgres?sslmode=require&application_name=shop`,
      { user: "ada@shop", tls: noVerify },
    ],
    [`mysql://ada:${secret}@shop.mysql.database.azure.com:3306/shop?ssl_mode=require&charset=utf8mb4`, { tls: {} }],
  ],
  "Google Cloud SQL": [
    [
      `postgresql://shop:${secret}@/shop?host=/cloudsql/project:europe-west3:shop`,
      { hosts: [{ host: "/cloudsql/project:europe-west3:shop", port: 5432 }], tls: undefined },
    ],
    [
      `postgresql://shop:${secret}@localhost/shop?host=/cloudsql/project:europe-west3:shop&schema=public&sslmode=require`,
      { hosts: [{ host: "/cloudsql/project:europe-west3:shop", port: 5432 }], schema: "public", tls: undefined },
    ],
    [
      `postgres://shop:${secret}@%2Fcloudsql%2Fproject%3Aeurope-west3%3Ashop/shop`,
      { hosts: [{ host: "/cloudsql/project:europe-west3:shop", port: 5432 }] },
    ],
    [
      `postgres://shop:${secret}@/shop?host=/cloudsql/project:europe-west3:shop/.s.PGSQL.5432`,
      { hosts: [{ host: "/cloudsql/project:europe-west3:shop", port: 5432 }] },
    ],
    [
      `mysql://shop:${secret}@localhost/shop?socket=/cloudsql/project:europe-west3:shop`,
      { socketPath: "/cloudsql/project:europe-west3:shop" },
    ],
    [`mysql://shop:${secret}@/shop?unix_socket=/cloudsql/p:r:i`, { socketPath: "/cloudsql/p:r:i" }],
    [`mysql://shop:${secret}@localhost/shop?socketPath=/cloudsql/p:r:i`, { socketPath: "/cloudsql/p:r:i" }],
  ],
};

describe.each(Object.entries(printed))("the URL that %s prints", (_provider, urls) => {
  test.each(urls)("%s is taken", (url, parts) => {
    const address = parseDatabaseUrl(url);
    expect(address).toMatchObject(parts);
    if (address.kind !== "sqlite") expect(address.password).toMatch(/hunter2$/);
    expect(parseDatabaseUrl(` ${url}\n`)).toEqual(address);
  });
});

test.each([
  ["sslmode=prefer", { tls: noVerify }],
  ["sslmode=allow", { tls: noVerify }],
  ["ssl=true&sslmode=no-verify", { tls: noVerify }],
  ["ssl=1", { tls: verified }],
  ["ssl=false", { tls: undefined }],
  ["target_session_attrs=read-write", {}],
  ["target_session_attrs=any&application_name=shop&connect_timeout=10", {}],
  ["keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=5&tcp_user_timeout=9000", {}],
  ["options=-c%20search_path%3Dshop", { schema: "shop" }],
  ["options=-csearch_path%3Dshop", { schema: "shop" }],
  ["currentSchema=shop", { schema: "shop" }],
  ["pool_mode=transaction", { pooled: true }],
  ["pgbouncer=false", { pooled: false }],
  ["channel_binding=prefer", {}],
  ["client_encoding=UTF8&gssencmode=disable&uselibpqcompat=true&sslsni=1", {}],
  [
    "host=one,two",
    {
      hosts: [
        { host: "one", port: 5432 },
        { host: "two", port: 5432 },
      ],
    },
  ],
])("PostgreSQL: %s is taken, and is what it means", (parameters, parts) => {
  expect(
    parseDatabaseUrl(`postgres://u:${secret}@${parameters.startsWith("host=") ? "" : "h"}/db?${parameters}`),
  ).toMatchObject(parts);
});

test.each([
  ["ssl-mode=VERIFY_IDENTITY", { tls: {} }],
  ["sslMode=PREFERRED", { tls: {} }],
  ["sslmode=DISABLED", { tls: undefined }],
  ["ssl=false", { tls: undefined }],
  ["tls=true&parseTime=true&loc=UTC", { tls: {} }],
  ["charset=utf8&collation=utf8mb4_unicode_ci&timezone=Z", {}],
  ["useUnicode=true&characterEncoding=UTF-8&serverTimezone=UTC&allowPublicKeyRetrieval=true&autoReconnect=true", {}],
  ["connectTimeout=10000", {}],
])("MySQL: %s is taken, and is what it means", (parameters, parts) => {
  expect(parseDatabaseUrl(`mysql://u:${secret}@h/db?${parameters}`)).toMatchObject(parts);
});

test.each([
  ["postgres://u:hunter2@h/db?target_session_attrs=read-only", /target_session_attrs: leave it out; Postern writes/],
  ["postgres://u:hunter2@h/db?channel_binding=require", /channel_binding=require needs TLS; write sslmode=require/],
  ["postgres://u:hunter2@h/db?connection_limit=1", /connection_limit: leave it out; Postern has a pool/],
  ["postgres://u:hunter2@h/db?options=-c%20statement_timeout%3D5", /options: leave it out.*schema=name/],
  ["postgres://u:hunter2@h/db?client_encoding=LATIN1", /client_encoding: leave it out; Postern sends UTF-8/],
  ["postgres://u:hunter2@h/db?user=x", /user: leave it out, and write postgres:\/\/user:password@host/],
  ["postgres://u:hunter2@h/db?host=/run", /host: the URL names another host/],
  ["postgres://u:hunter2@h/db?ssl=maybe", /ssl: write sslmode=verify-full/],
  ["postgres://u:hunter2@h/db?load_balance_hosts=random", /load_balance_hosts: leave it out/],
  ["postgres://postgres:[YOUR-PASSWORD]@db.abc.supabase.co:5432/postgres", /write your own password/],
  ["postgres://avnadmin:<password>@h/db", /write your own password/],
  ["mysql://u:hunter2@h/db?sslaccept=accept_invalid_certs", /sslaccept: write ssl=true; .*ssl-ca=\/path/],
  ['mysql://u:hunter2@h/db?ssl={"rejectUnauthorized":false}', /ssl: write ssl=true; .*ssl-ca=\/path/],
  ["mysql://u:hunter2@h/db?tls=skip-verify", /tls: write ssl=true; .*ssl-ca=\/path/],
  ["mysql://u:hunter2@h/db?charset=latin1", /charset: leave it out; Postern stores texts in utf8mb4/],
  ["mysql://u:hunter2@h/db?sslcert=/ca.pem", /sslcert: write ssl-ca=\/path/],
  ["psql 'postgresql://u:hunter2@h/db?sslmode=require'", /it is a command; write its URL alone/],
  ["'postgresql://u:hunter2@h/db'", /it is in quotes/],
  ["DATABASE_URL=postgres://u:hunter2@h/db", /begins with the name of the variable/],
  ["jdbc:postgresql://h/db?user=u&password=hunter2", /leave jdbc: out/],
  ["host=h dbname=db user=u password=hunter2", /list of settings; write postgres:/],
  ["Server=h;Database=db;User Id=u;Password=hunter2", /list of settings; write postgres:/],
  ["postgresql+asyncpg://u:hunter2@h/db", /another language's driver; begin it with postgres:/],
  ["mysql+pymysql://u:hunter2@h/db", /another language's driver; begin it with mysql:/],
  ["mysql2://u:hunter2@h/db", /another language's driver; begin it with mysql:/],
  ["prisma+postgres://accelerate.prisma-data.net/?api_key=hunter2", /Prisma's own service/],
])("%s is refused with what to write instead", (url, message) => {
  expect(() => parseDatabaseUrl(url)).toThrow(message);
  expect(() => parseDatabaseUrl(url)).toThrow(/^url: /);
  expect(() => parseDatabaseUrl(url)).not.toThrow(/hunter2/);
});

/** Passwords that are not percent-encoded. Some begin with what looks like a part of a URL. */
const passwords = [
  "#",
  "@",
  "/",
  "?",
  "%",
  "a#",
  "/a?b",
  "@a/b?c=",
  "1/db?x=y&z=",
  "12/db?",
  "?a=b#",
  "@[::1]:5/db?",
  "[@",
  "%zz",
].flatMap((mark) => [`s3cr3t${mark}s3cr3t`, `${mark}s3cr3t`, `s3cr3t${mark}`]);

test.each(["postgres", "mysql"])(
  "%s: a password with an unescaped character is answered with what to write, and never repeated",
  (scheme) => {
    for (const password of passwords) {
      for (const search of ["", "?application_name=x", "?charset=utf8"]) {
        let message = "";
        try {
          // What is read is read as it was written.
          expect(parseDatabaseUrl(`${scheme}://user:${password}@host:5432/db${search}`), password).toMatchObject({
            password,
          });
        } catch (thrown) {
          message = (thrown as Error).message;
          expect(thrown, password).toBeInstanceOf(TypeError);
          if (!/^url: (?:application_name|unknown parameter "(?:application_name|charset)"|charset)/.test(message)) {
            expect(message, password).toMatch(/%23 %40 %2F %3F or %25|write %25 for a % itself/);
          }
        }
        expect(message, password).not.toMatch(/s3c|3t/);
      }
      const encoded = encodeURIComponent(password);
      expect(parseDatabaseUrl(`${scheme}://user:${encoded}@host:5432/db`)).toMatchObject({ password });
    }
  },
);

test("the programs that make backups get the parameters in their own names", () => {
  const given = parametersOf("postgres://u@h/db?sslmode=prefer&application_name=x&channel_binding=require", "postgres");
  expect(Object.fromEntries(given)).toEqual({ sslmode: "require", channel_binding: "require" });
});
