import { AppError, allRows, type Ports, type Row } from "@postern/core";
import type { AccessTokenClaims } from "@postern/core/ports";
import { challenge, type UserPrincipal } from "@postern/rest";
import { client } from "../resources/client.ts";
import { grant } from "../resources/grant.ts";
import { wordsOf } from "../resources/stored-words.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields, roleInForce } from "../sign-in/role-in-force.ts";

const system = allRows("authentication");
const grantFields = ["id", "user_id", "client_id", "scopes", "expires_at"];
const clientFields = ["id", "user_id", "scopes"];

/**
 * Whom a token of an OAuth client speaks for. Grant, client and account are read for every request.
 * So if any node ends one of them, the next request is refused here. The token allows the scopes
 * that it names, as far as grant and client still allow them.
 */
export const clientAuthentication =
  ({ storage, clock }: Pick<Ports, "storage" | "clock">, settings: Pick<Settings, "adminMfa">) =>
  async (claims: AccessTokenClaims): Promise<UserPrincipal> => {
    const { resources } = storage;
    const { clientId, sessionId, subject, scope = "" } = claims;
    const ended = new AppError("invalid_token", {
      detail: "The grant or the client of this token has ended.",
      headers: challenge("invalid_token"),
    });
    const [made, allowed] = await Promise.all([
      resources.find(client, clientId, system, clientFields),
      sessionId === undefined ? undefined : resources.find(grant, sessionId, system, grantFields),
    ]);
    if (made === undefined) throw ended;
    const isLive = (row: Row | undefined): row is Row =>
      row?.client_id === clientId && row.user_id === subject && Date.parse(String(row.expires_at)) > clock.now();
    if (sessionId === undefined ? subject !== clientId : !isLive(allowed)) throw ended;
    const userId = sessionId === undefined ? String(made.user_id) : subject;
    const account = await resources.find(user, userId, system, roleFields);
    if (account === undefined) throw ended;
    const within = [wordsOf(made.scopes), ...(allowed === undefined ? [] : [wordsOf(allowed.scopes)])];
    const scopes = scope.split(" ").filter((one) => within.every((list) => list.includes(one)));
    return {
      kind: "user",
      userId,
      ...roleInForce(account, settings),
      credential: { kind: "client", id: clientId, scopes },
    };
  };
