import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export { decryptWechatPayResource } from "../wechat-pay-content.ts";

export const wechatPay: Scheme = definePlainScheme({
  name: "wechat-pay",
  title: "WeChat Pay",
  key: rsaPublicKey("rsa-sha256"),
  signature: { header: "Wechatpay-Signature", encoding: base64 },
  keyIdHeader: "Wechatpay-Serial",
  signed: "{timestamp}\n{header:wechatpay-nonce}\n{body}\n",
  timestamp: { header: "Wechatpay-Timestamp", unit: "s", toleranceSeconds: 300 },
  id: "body:id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  data: "resource",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  headers: ["Wechatpay-Signature", "Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial"],
  keyFrom:
    "The public key of WeChat Pay with its id (`PUB_KEY_ID_…`), or a platform certificate with its serial number as the id.",
  confidence: "confirmed",
  source: "https://pay.weixin.qq.com/wiki/doc/apiv3/wechatpay/wechatpay4_1.shtml",
  repeats: { source: "https://pay.weixin.qq.com/doc/v3/partner/4015124358" },
  notes: [
    "`decryptWechatPayResource(resource, apiV3Key)` beside the scheme gives the content of `resource` in a verified delivery.",
    "WeChat Pay sometimes sends a wrong signature on purpose (`WECHATPAY/SIGNTEST/…`) and expects it to be refused.",
    "WeChat Pay names no window; five minutes, as in its SDKs, are ours.",
  ],
};
