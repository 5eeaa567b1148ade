import type { Scheme } from "../scheme.ts";
import { adyen } from "./adyen.ts";
import { adyenPlatform } from "./adyen-platform.ts";
import { appleAppStore } from "./apple-app-store.ts";
import { asana } from "./asana.ts";
import { awsSns } from "./aws-sns.ts";
import { bitbucket } from "./bitbucket.ts";
import { box } from "./box.ts";
import { cloudevents } from "./cloudevents.ts";
import { coinbaseCdp } from "./coinbase-cdp.ts";
import { coinbaseCommerce } from "./coinbase-commerce.ts";
import { convoy } from "./convoy.ts";
import { convoySimple } from "./convoy-simple.ts";
import { discord } from "./discord.ts";
import { docusign } from "./docusign.ts";
import { dropbox } from "./dropbox.ts";
import { ebay } from "./ebay.ts";
import { fal } from "./fal.ts";
import { fireblocks } from "./fireblocks.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { githubSecretScanning } from "./github-secret-scanning.ts";
import { gitlab } from "./gitlab.ts";
import { gitlabToken } from "./gitlab-token.ts";
import { googlePubsub } from "./google-pubsub.ts";
import { hook0 } from "./hook0.ts";
import { hubspotV1 } from "./hubspot-v1.ts";
import { hubspotV2 } from "./hubspot-v2.ts";
import { hubspotV3 } from "./hubspot-v3.ts";
import { intercom } from "./intercom.ts";
import { lemonSqueezy } from "./lemon-squeezy.ts";
import { linear } from "./linear.ts";
import { mailgun } from "./mailgun.ts";
import { meta } from "./meta.ts";
import { microsoftGraph } from "./microsoft-graph.ts";
import { okta } from "./okta.ts";
import { paddle } from "./paddle.ts";
import { pagerduty } from "./pagerduty.ts";
import { paypal } from "./paypal.ts";
import { plaid } from "./plaid.ts";
import { quickbooks } from "./quickbooks.ts";
import { razorpay } from "./razorpay.ts";
import { revolut } from "./revolut.ts";
import { rfc9421 } from "./rfc9421.ts";
import { sendgrid } from "./sendgrid.ts";
import { sentry } from "./sentry.ts";
import { shopify } from "./shopify.ts";
import { slack } from "./slack.ts";
import { square } from "./square.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import { svix } from "./svix.ts";
import { telnyx } from "./telnyx.ts";
import { trello } from "./trello.ts";
import { truelayer } from "./truelayer.ts";
import { turnkey } from "./turnkey.ts";
import { twilio } from "./twilio.ts";
import { twitch } from "./twitch.ts";
import { typeform } from "./typeform.ts";
import { vercel } from "./vercel.ts";
import { webflow } from "./webflow.ts";
import { wise } from "./wise.ts";
import { woocommerce } from "./woocommerce.ts";
import { workos } from "./workos.ts";
import { x } from "./x.ts";
import { xero } from "./xero.ts";
import { zendesk } from "./zendesk.ts";
import { zoom } from "./zoom.ts";

/** Every scheme by name. Import a single one from `@postern/webhook-verifier/schemes/<name>` to ship nothing else. */
export const schemes = {
  adyen,
  "adyen-platform": adyenPlatform,
  "apple-app-store": appleAppStore,
  asana,
  "aws-sns": awsSns,
  bitbucket,
  box,
  cloudevents,
  "coinbase-cdp": coinbaseCdp,
  "coinbase-commerce": coinbaseCommerce,
  convoy,
  "convoy-simple": convoySimple,
  discord,
  docusign,
  dropbox,
  ebay,
  fal,
  fireblocks,
  gitea,
  github,
  "github-secret-scanning": githubSecretScanning,
  gitlab,
  "gitlab-token": gitlabToken,
  "google-pubsub": googlePubsub,
  hook0,
  "hubspot-v1": hubspotV1,
  "hubspot-v2": hubspotV2,
  "hubspot-v3": hubspotV3,
  intercom,
  "lemon-squeezy": lemonSqueezy,
  linear,
  mailgun,
  meta,
  "microsoft-graph": microsoftGraph,
  okta,
  paddle,
  pagerduty,
  paypal,
  plaid,
  quickbooks,
  razorpay,
  revolut,
  rfc9421,
  sendgrid,
  sentry,
  shopify,
  slack,
  square,
  "standard-webhooks": standardWebhooks,
  stripe,
  svix,
  telnyx,
  trello,
  truelayer,
  turnkey,
  twilio,
  twitch,
  typeform,
  vercel,
  webflow,
  wise,
  woocommerce,
  workos,
  x,
  xero,
  zendesk,
  zoom,
} as const satisfies Readonly<Record<string, Scheme>>;
