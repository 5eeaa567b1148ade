import type { Scheme } from "../scheme.ts";
import { adobeCommerce } from "./adobe-commerce.ts";
import { adyen } from "./adyen.ts";
import { adyenPlatform } from "./adyen-platform.ts";
import { aftership } from "./aftership.ts";
import { airtable } from "./airtable.ts";
import { airwallex } from "./airwallex.ts";
import { alchemy } from "./alchemy.ts";
import { anthropic } from "./anthropic.ts";
import { appleAppStore } from "./apple-app-store.ts";
import { asana } from "./asana.ts";
import { auth0 } from "./auth0.ts";
import { authorizeNet } from "./authorize-net.ts";
import { awsEventbridge } from "./aws-eventbridge.ts";
import { awsSns } from "./aws-sns.ts";
import { azureEventGrid } from "./azure-event-grid.ts";
import { basicAuth } from "./basic-auth.ts";
import { bigcommerce } from "./bigcommerce.ts";
import { bitbucket } from "./bitbucket.ts";
import { box } from "./box.ts";
import { braintree } from "./braintree.ts";
import { brex } from "./brex.ts";
import { bridge } from "./bridge.ts";
import { btcpay } from "./btcpay.ts";
import { buildkite } from "./buildkite.ts";
import { calCom } from "./cal-com.ts";
import { calendly } from "./calendly.ts";
import { cashfree } from "./cashfree.ts";
import { chargebee } from "./chargebee.ts";
import { checkoutCom } from "./checkout-com.ts";
import { circle } from "./circle.ts";
import { circleci } from "./circleci.ts";
import { clerk } from "./clerk.ts";
import { clickup } from "./clickup.ts";
import { cloudevents } from "./cloudevents.ts";
import { cloudflareStream } from "./cloudflare-stream.ts";
import { cloudinary } from "./cloudinary.ts";
import { coinbaseCdp } from "./coinbase-cdp.ts";
import { coinbaseCommerce } from "./coinbase-commerce.ts";
import { coinflow } from "./coinflow.ts";
import { coinify } from "./coinify.ts";
import { contentful } from "./contentful.ts";
import { convoy } from "./convoy.ts";
import { convoySimple } from "./convoy-simple.ts";
import { cronofy } from "./cronofy.ts";
import { customerIo } from "./customer-io.ts";
import { discord } from "./discord.ts";
import { discourse } from "./discourse.ts";
import { docusign } from "./docusign.ts";
import { dodoPayments } from "./dodo-payments.ts";
import { doppler } from "./doppler.ts";
import { dropbox } from "./dropbox.ts";
import { dropboxSign } from "./dropbox-sign.ts";
import { dub } from "./dub.ts";
import { dwolla } from "./dwolla.ts";
import { easypost } from "./easypost.ts";
import { ebay } from "./ebay.ts";
import { elevenlabs } from "./elevenlabs.ts";
import { fal } from "./fal.ts";
import { fastspring } from "./fastspring.ts";
import { figma } from "./figma.ts";
import { finch } from "./finch.ts";
import { fireblocks } from "./fireblocks.ts";
import { flagsmith } from "./flagsmith.ts";
import { forgejo } from "./forgejo.ts";
import { fourthwall } from "./fourthwall.ts";
import { front } from "./front.ts";
import { frontRule } from "./front-rule.ts";
import { fusionauth } from "./fusionauth.ts";
import { ghost } from "./ghost.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { githubSecretScanning } from "./github-secret-scanning.ts";
import { gitlab } from "./gitlab.ts";
import { gitlabToken } from "./gitlab-token.ts";
import { gocardless } from "./gocardless.ts";
import { googleChannels } from "./google-channels.ts";
import { googleChat } from "./google-chat.ts";
import { googleCloudScheduler } from "./google-cloud-scheduler.ts";
import { googleCloudTasks } from "./google-cloud-tasks.ts";
import { googlePubsub } from "./google-pubsub.ts";
import { grafana } from "./grafana.ts";
import { helpScout } from "./help-scout.ts";
import { heroku } from "./heroku.ts";
import { hook0 } from "./hook0.ts";
import { hookdeck } from "./hookdeck.ts";
import { hubspotV1 } from "./hubspot-v1.ts";
import { hubspotV2 } from "./hubspot-v2.ts";
import { hubspotV3 } from "./hubspot-v3.ts";
import { hygraph } from "./hygraph.ts";
import { imagekit } from "./imagekit.ts";
import { inngest } from "./inngest.ts";
import { intercom } from "./intercom.ts";
import { jira } from "./jira.ts";
import { kinde } from "./kinde.ts";
import { klaviyo } from "./klaviyo.ts";
import { knock } from "./knock.ts";
import { lago } from "./lago.ts";
import { lagoJwt } from "./lago-jwt.ts";
import { lark } from "./lark.ts";
import { launchdarkly } from "./launchdarkly.ts";
import { lemonSqueezy } from "./lemon-squeezy.ts";
import { line } from "./line.ts";
import { linear } from "./linear.ts";
import { linkedin } from "./linkedin.ts";
import { lithic } from "./lithic.ts";
import { liveblocks } from "./liveblocks.ts";
import { livekit } from "./livekit.ts";
import { logto } from "./logto.ts";
import { mailchimp } from "./mailchimp.ts";
import { mailersend } from "./mailersend.ts";
import { mailgun } from "./mailgun.ts";
import { make } from "./make.ts";
import { mandrill } from "./mandrill.ts";
import { mercadoPago } from "./mercado-pago.ts";
import { messagebird } from "./messagebird.ts";
import { meta } from "./meta.ts";
import { metronome } from "./metronome.ts";
import { microsoftGraph } from "./microsoft-graph.ts";
import { microsoftTeams } from "./microsoft-teams.ts";
import { modernTreasury } from "./modern-treasury.ts";
import { mollie } from "./mollie.ts";
import { monday } from "./monday.ts";
import { moneybird } from "./moneybird.ts";
import { mongodbAtlas } from "./mongodb-atlas.ts";
import { mux } from "./mux.ts";
import { nango } from "./nango.ts";
import { netlify } from "./netlify.ts";
import { notion } from "./notion.ts";
import { nylas } from "./nylas.ts";
import { oidc } from "./oidc.ts";
import { okta } from "./okta.ts";
import { onfido } from "./onfido.ts";
import { openai } from "./openai.ts";
import { orb } from "./orb.ts";
import { paddle } from "./paddle.ts";
import { paddleClassic } from "./paddle-classic.ts";
import { pagerduty } from "./pagerduty.ts";
import { paymongo } from "./paymongo.ts";
import { paypal } from "./paypal.ts";
import { paystack } from "./paystack.ts";
import { persona } from "./persona.ts";
import { plaid } from "./plaid.ts";
import { plivo } from "./plivo.ts";
import { polar } from "./polar.ts";
import { portone } from "./portone.ts";
import { postmark } from "./postmark.ts";
import { pusher } from "./pusher.ts";
import { qstash } from "./qstash.ts";
import { quickbooks } from "./quickbooks.ts";
import { razorpay } from "./razorpay.ts";
import { recurly } from "./recurly.ts";
import { render } from "./render.ts";
import { replicate } from "./replicate.ts";
import { resend } from "./resend.ts";
import { retell } from "./retell.ts";
import { revolut } from "./revolut.ts";
import { rfc9421 } from "./rfc9421.ts";
import { saleor } from "./saleor.ts";
import { salesforceMarketingCloud } from "./salesforce-marketing-cloud.ts";
import { sanity } from "./sanity.ts";
import { seam } from "./seam.ts";
import { sendgrid } from "./sendgrid.ts";
import { sentry } from "./sentry.ts";
import { shopify } from "./shopify.ts";
import { slack } from "./slack.ts";
import { snyk } from "./snyk.ts";
import { square } from "./square.ts";
import { squarespace } from "./squarespace.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { statsig } from "./statsig.ts";
import { strava } from "./strava.ts";
import { stream } from "./stream.ts";
import { stripe } from "./stripe.ts";
import { sumsub } from "./sumsub.ts";
import { supabase } from "./supabase.ts";
import { svix } from "./svix.ts";
import { tally } from "./tally.ts";
import { telegram } from "./telegram.ts";
import { telnyx } from "./telnyx.ts";
import { terraform } from "./terraform.ts";
import { tiktok } from "./tiktok.ts";
import { token } from "./token.ts";
import { trello } from "./trello.ts";
import { truelayer } from "./truelayer.ts";
import { turnkey } from "./turnkey.ts";
import { twilio } from "./twilio.ts";
import { twitch } from "./twitch.ts";
import { typeform } from "./typeform.ts";
import { vercel } from "./vercel.ts";
import { viber } from "./viber.ts";
import { vonage } from "./vonage.ts";
import { webex } from "./webex.ts";
import { webflow } from "./webflow.ts";
import { websub } from "./websub.ts";
import { wechatPay } from "./wechat-pay.ts";
import { whop } from "./whop.ts";
import { wise } from "./wise.ts";
import { wix } from "./wix.ts";
import { woocommerce } from "./woocommerce.ts";
import { workos } from "./workos.ts";
import { worldpay } from "./worldpay.ts";
import { x } from "./x.ts";
import { xero } from "./xero.ts";
import { youtube } from "./youtube.ts";
import { zendesk } from "./zendesk.ts";
import { zohoPayments } from "./zoho-payments.ts";
import { zoom } from "./zoom.ts";

const all = {
  "adobe-commerce": adobeCommerce,
  adyen,
  "adyen-platform": adyenPlatform,
  aftership,
  airtable,
  airwallex,
  alchemy,
  anthropic,
  "apple-app-store": appleAppStore,
  asana,
  auth0,
  "authorize-net": authorizeNet,
  "aws-eventbridge": awsEventbridge,
  "aws-sns": awsSns,
  "azure-event-grid": azureEventGrid,
  "basic-auth": basicAuth,
  bigcommerce,
  bitbucket,
  box,
  braintree,
  brex,
  bridge,
  btcpay,
  buildkite,
  "cal-com": calCom,
  calendly,
  cashfree,
  chargebee,
  "checkout-com": checkoutCom,
  circle,
  circleci,
  clerk,
  clickup,
  cloudevents,
  "cloudflare-stream": cloudflareStream,
  cloudinary,
  "coinbase-cdp": coinbaseCdp,
  "coinbase-commerce": coinbaseCommerce,
  coinflow,
  coinify,
  contentful,
  convoy,
  "convoy-simple": convoySimple,
  cronofy,
  "customer-io": customerIo,
  discord,
  discourse,
  docusign,
  "dodo-payments": dodoPayments,
  doppler,
  dropbox,
  "dropbox-sign": dropboxSign,
  dub,
  dwolla,
  easypost,
  ebay,
  elevenlabs,
  fal,
  fastspring,
  figma,
  finch,
  fireblocks,
  flagsmith,
  forgejo,
  fourthwall,
  front,
  "front-rule": frontRule,
  fusionauth,
  ghost,
  gitea,
  github,
  "github-secret-scanning": githubSecretScanning,
  gitlab,
  "gitlab-token": gitlabToken,
  gocardless,
  "google-channels": googleChannels,
  "google-chat": googleChat,
  "google-cloud-scheduler": googleCloudScheduler,
  "google-cloud-tasks": googleCloudTasks,
  "google-pubsub": googlePubsub,
  grafana,
  "help-scout": helpScout,
  heroku,
  hook0,
  hookdeck,
  "hubspot-v1": hubspotV1,
  "hubspot-v2": hubspotV2,
  "hubspot-v3": hubspotV3,
  hygraph,
  imagekit,
  inngest,
  intercom,
  jira,
  kinde,
  klaviyo,
  knock,
  lago,
  "lago-jwt": lagoJwt,
  lark,
  launchdarkly,
  "lemon-squeezy": lemonSqueezy,
  line,
  linear,
  linkedin,
  lithic,
  liveblocks,
  livekit,
  logto,
  mailchimp,
  mailersend,
  mailgun,
  make,
  mandrill,
  "mercado-pago": mercadoPago,
  messagebird,
  meta,
  metronome,
  "microsoft-graph": microsoftGraph,
  "microsoft-teams": microsoftTeams,
  "modern-treasury": modernTreasury,
  mollie,
  monday,
  moneybird,
  "mongodb-atlas": mongodbAtlas,
  mux,
  nango,
  netlify,
  notion,
  nylas,
  oidc,
  okta,
  onfido,
  openai,
  orb,
  paddle,
  "paddle-classic": paddleClassic,
  pagerduty,
  paymongo,
  paypal,
  paystack,
  persona,
  plaid,
  plivo,
  polar,
  portone,
  postmark,
  pusher,
  qstash,
  quickbooks,
  razorpay,
  recurly,
  render,
  replicate,
  resend,
  retell,
  revolut,
  rfc9421,
  saleor,
  "salesforce-marketing-cloud": salesforceMarketingCloud,
  sanity,
  seam,
  sendgrid,
  sentry,
  shopify,
  slack,
  snyk,
  square,
  squarespace,
  "standard-webhooks": standardWebhooks,
  statsig,
  strava,
  stream,
  stripe,
  sumsub,
  supabase,
  svix,
  tally,
  telegram,
  telnyx,
  terraform,
  tiktok,
  token,
  trello,
  truelayer,
  turnkey,
  twilio,
  twitch,
  typeform,
  vercel,
  viber,
  vonage,
  webex,
  webflow,
  websub,
  "wechat-pay": wechatPay,
  whop,
  wise,
  wix,
  woocommerce,
  workos,
  worldpay,
  x,
  xero,
  youtube,
  zendesk,
  "zoho-payments": zohoPayments,
  zoom,
} as const satisfies Readonly<Record<string, Scheme>>;

/**
 * Every scheme by name, in an object without a prototype: `name in schemes` is true for schemes
 * only. Import a single scheme from `@postern/webhook-verifier/schemes/<name>` to ship nothing
 * else.
 */
export const schemes: typeof all = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(null), all);
