/** Made from the files of `schemes` by `scripts/docs.ts`: do not edit. */

import type { Scheme } from "../scheme.ts";
import { adobeCommerce } from "../schemes/adobe-commerce.ts";
import { adyen } from "../schemes/adyen.ts";
import { adyenPlatform } from "../schemes/adyen-platform.ts";
import { aftership } from "../schemes/aftership.ts";
import { airtable } from "../schemes/airtable.ts";
import { airwallex } from "../schemes/airwallex.ts";
import { alchemy } from "../schemes/alchemy.ts";
import { anthropic } from "../schemes/anthropic.ts";
import { appleAppStore } from "../schemes/apple-app-store.ts";
import { asana } from "../schemes/asana.ts";
import { auth0 } from "../schemes/auth0.ts";
import { authorizeNet } from "../schemes/authorize-net.ts";
import { awsEventbridge } from "../schemes/aws-eventbridge.ts";
import { awsSns } from "../schemes/aws-sns.ts";
import { azureEventGrid } from "../schemes/azure-event-grid.ts";
import { basicAuth } from "../schemes/basic-auth.ts";
import { bigcommerce } from "../schemes/bigcommerce.ts";
import { bitbucket } from "../schemes/bitbucket.ts";
import { box } from "../schemes/box.ts";
import { braintree } from "../schemes/braintree.ts";
import { brex } from "../schemes/brex.ts";
import { bridge } from "../schemes/bridge.ts";
import { btcpay } from "../schemes/btcpay.ts";
import { buildkite } from "../schemes/buildkite.ts";
import { calCom } from "../schemes/cal-com.ts";
import { calendly } from "../schemes/calendly.ts";
import { cashfree } from "../schemes/cashfree.ts";
import { chargebee } from "../schemes/chargebee.ts";
import { checkoutCom } from "../schemes/checkout-com.ts";
import { circle } from "../schemes/circle.ts";
import { circleci } from "../schemes/circleci.ts";
import { clerk } from "../schemes/clerk.ts";
import { clickup } from "../schemes/clickup.ts";
import { cloudevents } from "../schemes/cloudevents.ts";
import { cloudflareStream } from "../schemes/cloudflare-stream.ts";
import { cloudinary } from "../schemes/cloudinary.ts";
import { coinbaseCdp } from "../schemes/coinbase-cdp.ts";
import { coinbaseCommerce } from "../schemes/coinbase-commerce.ts";
import { coinflow } from "../schemes/coinflow.ts";
import { coinify } from "../schemes/coinify.ts";
import { contentful } from "../schemes/contentful.ts";
import { convoy } from "../schemes/convoy.ts";
import { convoySimple } from "../schemes/convoy-simple.ts";
import { cronofy } from "../schemes/cronofy.ts";
import { customerIo } from "../schemes/customer-io.ts";
import { discord } from "../schemes/discord.ts";
import { discourse } from "../schemes/discourse.ts";
import { docusign } from "../schemes/docusign.ts";
import { dodoPayments } from "../schemes/dodo-payments.ts";
import { doppler } from "../schemes/doppler.ts";
import { dropbox } from "../schemes/dropbox.ts";
import { dropboxSign } from "../schemes/dropbox-sign.ts";
import { dub } from "../schemes/dub.ts";
import { dwolla } from "../schemes/dwolla.ts";
import { easypost } from "../schemes/easypost.ts";
import { ebay } from "../schemes/ebay.ts";
import { elevenlabs } from "../schemes/elevenlabs.ts";
import { fal } from "../schemes/fal.ts";
import { fastspring } from "../schemes/fastspring.ts";
import { figma } from "../schemes/figma.ts";
import { finch } from "../schemes/finch.ts";
import { fireblocks } from "../schemes/fireblocks.ts";
import { flagsmith } from "../schemes/flagsmith.ts";
import { forgejo } from "../schemes/forgejo.ts";
import { fourthwall } from "../schemes/fourthwall.ts";
import { front } from "../schemes/front.ts";
import { frontRule } from "../schemes/front-rule.ts";
import { fusionauth } from "../schemes/fusionauth.ts";
import { ghost } from "../schemes/ghost.ts";
import { gitea } from "../schemes/gitea.ts";
import { github } from "../schemes/github.ts";
import { githubSecretScanning } from "../schemes/github-secret-scanning.ts";
import { gitlab } from "../schemes/gitlab.ts";
import { gitlabToken } from "../schemes/gitlab-token.ts";
import { gocardless } from "../schemes/gocardless.ts";
import { googleChannels } from "../schemes/google-channels.ts";
import { googleChat } from "../schemes/google-chat.ts";
import { googleCloudScheduler } from "../schemes/google-cloud-scheduler.ts";
import { googleCloudTasks } from "../schemes/google-cloud-tasks.ts";
import { googlePubsub } from "../schemes/google-pubsub.ts";
import { grafana } from "../schemes/grafana.ts";
import { helpScout } from "../schemes/help-scout.ts";
import { heroku } from "../schemes/heroku.ts";
import { hook0 } from "../schemes/hook0.ts";
import { hookdeck } from "../schemes/hookdeck.ts";
import { hubspotV1 } from "../schemes/hubspot-v1.ts";
import { hubspotV2 } from "../schemes/hubspot-v2.ts";
import { hubspotV3 } from "../schemes/hubspot-v3.ts";
import { hygraph } from "../schemes/hygraph.ts";
import { imagekit } from "../schemes/imagekit.ts";
import { inngest } from "../schemes/inngest.ts";
import { intercom } from "../schemes/intercom.ts";
import { jira } from "../schemes/jira.ts";
import { kinde } from "../schemes/kinde.ts";
import { klaviyo } from "../schemes/klaviyo.ts";
import { knock } from "../schemes/knock.ts";
import { lago } from "../schemes/lago.ts";
import { lagoJwt } from "../schemes/lago-jwt.ts";
import { lark } from "../schemes/lark.ts";
import { launchdarkly } from "../schemes/launchdarkly.ts";
import { lemonSqueezy } from "../schemes/lemon-squeezy.ts";
import { line } from "../schemes/line.ts";
import { linear } from "../schemes/linear.ts";
import { linkedin } from "../schemes/linkedin.ts";
import { lithic } from "../schemes/lithic.ts";
import { liveblocks } from "../schemes/liveblocks.ts";
import { livekit } from "../schemes/livekit.ts";
import { logto } from "../schemes/logto.ts";
import { mailchimp } from "../schemes/mailchimp.ts";
import { mailersend } from "../schemes/mailersend.ts";
import { mailgun } from "../schemes/mailgun.ts";
import { make } from "../schemes/make.ts";
import { mandrill } from "../schemes/mandrill.ts";
import { mercadoPago } from "../schemes/mercado-pago.ts";
import { messagebird } from "../schemes/messagebird.ts";
import { meta } from "../schemes/meta.ts";
import { metronome } from "../schemes/metronome.ts";
import { microsoftGraph } from "../schemes/microsoft-graph.ts";
import { microsoftTeams } from "../schemes/microsoft-teams.ts";
import { modernTreasury } from "../schemes/modern-treasury.ts";
import { mollie } from "../schemes/mollie.ts";
import { monday } from "../schemes/monday.ts";
import { moneybird } from "../schemes/moneybird.ts";
import { mongodbAtlas } from "../schemes/mongodb-atlas.ts";
import { mux } from "../schemes/mux.ts";
import { nango } from "../schemes/nango.ts";
import { netlify } from "../schemes/netlify.ts";
import { notion } from "../schemes/notion.ts";
import { nylas } from "../schemes/nylas.ts";
import { oidc } from "../schemes/oidc.ts";
import { okta } from "../schemes/okta.ts";
import { onfido } from "../schemes/onfido.ts";
import { openai } from "../schemes/openai.ts";
import { orb } from "../schemes/orb.ts";
import { paddle } from "../schemes/paddle.ts";
import { paddleClassic } from "../schemes/paddle-classic.ts";
import { pagerduty } from "../schemes/pagerduty.ts";
import { paymongo } from "../schemes/paymongo.ts";
import { paypal } from "../schemes/paypal.ts";
import { paystack } from "../schemes/paystack.ts";
import { persona } from "../schemes/persona.ts";
import { plaid } from "../schemes/plaid.ts";
import { plivo } from "../schemes/plivo.ts";
import { polar } from "../schemes/polar.ts";
import { portone } from "../schemes/portone.ts";
import { postmark } from "../schemes/postmark.ts";
import { pusher } from "../schemes/pusher.ts";
import { qstash } from "../schemes/qstash.ts";
import { quickbooks } from "../schemes/quickbooks.ts";
import { razorpay } from "../schemes/razorpay.ts";
import { recurly } from "../schemes/recurly.ts";
import { render } from "../schemes/render.ts";
import { replicate } from "../schemes/replicate.ts";
import { resend } from "../schemes/resend.ts";
import { retell } from "../schemes/retell.ts";
import { revolut } from "../schemes/revolut.ts";
import { rfc9421 } from "../schemes/rfc9421.ts";
import { saleor } from "../schemes/saleor.ts";
import { salesforceMarketingCloud } from "../schemes/salesforce-marketing-cloud.ts";
import { sanity } from "../schemes/sanity.ts";
import { seam } from "../schemes/seam.ts";
import { sendgrid } from "../schemes/sendgrid.ts";
import { sentry } from "../schemes/sentry.ts";
import { shopify } from "../schemes/shopify.ts";
import { slack } from "../schemes/slack.ts";
import { snyk } from "../schemes/snyk.ts";
import { square } from "../schemes/square.ts";
import { squarespace } from "../schemes/squarespace.ts";
import { standardWebhooks } from "../schemes/standard-webhooks.ts";
import { statsig } from "../schemes/statsig.ts";
import { strava } from "../schemes/strava.ts";
import { stream } from "../schemes/stream.ts";
import { stripe } from "../schemes/stripe.ts";
import { sumsub } from "../schemes/sumsub.ts";
import { supabase } from "../schemes/supabase.ts";
import { svix } from "../schemes/svix.ts";
import { tally } from "../schemes/tally.ts";
import { telegram } from "../schemes/telegram.ts";
import { telnyx } from "../schemes/telnyx.ts";
import { terraform } from "../schemes/terraform.ts";
import { tiktok } from "../schemes/tiktok.ts";
import { token } from "../schemes/token.ts";
import { trello } from "../schemes/trello.ts";
import { truelayer } from "../schemes/truelayer.ts";
import { turnkey } from "../schemes/turnkey.ts";
import { twilio } from "../schemes/twilio.ts";
import { twitch } from "../schemes/twitch.ts";
import { typeform } from "../schemes/typeform.ts";
import { vercel } from "../schemes/vercel.ts";
import { viber } from "../schemes/viber.ts";
import { vonage } from "../schemes/vonage.ts";
import { webex } from "../schemes/webex.ts";
import { webflow } from "../schemes/webflow.ts";
import { websub } from "../schemes/websub.ts";
import { wechatPay } from "../schemes/wechat-pay.ts";
import { whop } from "../schemes/whop.ts";
import { wise } from "../schemes/wise.ts";
import { wix } from "../schemes/wix.ts";
import { woocommerce } from "../schemes/woocommerce.ts";
import { workos } from "../schemes/workos.ts";
import { worldpay } from "../schemes/worldpay.ts";
import { x } from "../schemes/x.ts";
import { xero } from "../schemes/xero.ts";
import { youtube } from "../schemes/youtube.ts";
import { zendesk } from "../schemes/zendesk.ts";
import { zohoPayments } from "../schemes/zoho-payments.ts";
import { zoom } from "../schemes/zoom.ts";

/** Every scheme by its name. The docstrings stand in a type, so that no program carries them. */
export type Schemes = {
  /**
   * Adobe Commerce. Signed: base64 of {body} (rsa-sha256, base64). In
   * `x-adobe-commerce-webhook-signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: Stores, Configuration, Adobe Services, Webhooks, Digital signature: the public key (PEM).
   * @see https://developer.adobe.com/commerce/extensibility/webhooks/signature-verification/
   */
  readonly "adobe-commerce": Scheme;
  /**
   * Adyen. Signed:
   * `{field:pspReference}:{field:originalReference}:{field:merchantAccountCode}:{field:merchantReference}:{field:amount.value}:{field:amount.currency}:{field:eventCode}:{field:success}`
   * (hmac-sha256, base64).
   * Covered: id, type, field:pspReference, field:originalReference, field:merchantAccountCode,
   * field:merchantReference, field:amount.value, field:amount.currency, field:eventCode,
   * field:success. **The body is not authenticated.**
   * Window: no time signed.
   * Key: Customer Area, Developers, Webhooks, the webhook, HMAC key (hex).
   * @see https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures
   */
  readonly adyen: Scheme;
  /**
   * Adyen (platform, management). Signed: `{body}` (hmac-sha256, base64). In `HmacSignature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Customer Area, Developers, Webhooks, the webhook, HMAC key.
   * @see https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures
   */
  readonly "adyen-platform": Scheme;
  /**
   * AfterShip. Signed: `{body}` (hmac-sha256, base64). In `aftership-hmac-sha256`,
   * `as-signature-hmac-sha256`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: AfterShip, Settings, Webhooks, Webhook secret.
   * @see https://www.aftership.com/docs/tracking/webhook/webhook-signature
   */
  readonly aftership: Scheme;
  /**
   * Airtable. Signed: `{body}` (hmac-sha256, hex). In `X-Airtable-Content-MAC`.
   * Covered: body.
   * Window: no time signed.
   * Key: The `macSecretBase64` in the answer to making the webhook; it is shown once.
   * @see https://github.com/gtalarico/pyairtable/blob/main/pyairtable/models/webhook.py
   */
  readonly airtable: Scheme;
  /**
   * Airwallex. Signed: `{timestamp}{body}` (hmac-sha256, hex). In `x-signature`, `x-timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: none by default.
   * Key: Airwallex web app, Developer, Webhooks, the webhook's secret: each one has its own.
   * @see https://www.airwallex.com/docs/developer-tools/webhooks/listen-for-webhook-events
   */
  readonly airwallex: Scheme;
  /**
   * Alchemy. Signed: `{body}` (hmac-sha256, hex). In `X-Alchemy-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Alchemy dashboard, Webhooks, the webhook's signing key.
   * @see https://www.alchemy.com/docs/reference/notify-api-quickstart
   */
  readonly alchemy: Scheme;
  /**
   * Anthropic. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Claude Console, the webhook endpoint's signing key (`whsec_…`): shown once, when the
   * endpoint is made.
   * @see https://platform.claude.com/docs/en/api/beta/webhooks/unwrap
   */
  readonly anthropic: Scheme;
  /**
   * Apple App Store notifications V2. Signed: the payload of the JWS in `signedPayload`
   * (ecdsa-p384-sha384-der, ecdsa-p256-sha256-der, JWS (ES256) with certificate chain).
   * Covered: body, timestamp, id, type.
   * Window: ± 604800 s.
   * Key: Apple Root CA - G3, from https://www.apple.com/certificateauthority/.
   * @see https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2
   */
  readonly "apple-app-store": Scheme;
  /**
   * Asana. Signed: `{body}` (hmac-sha256, hex). In `X-Hook-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The `X-Hook-Secret` header of the handshake: store it when it comes.
   * @see https://developers.asana.com/docs/webhooks-guide
   */
  readonly asana: Scheme;
  /**
   * Auth0 log streams. Signed: `{body}` (token, text). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: Auth0 dashboard, Monitoring, Streams, the custom webhook's authorization token.
   * @see https://auth0.com/docs/customize/log-streams/custom-log-streams
   */
  readonly auth0: Scheme;
  /**
   * Authorize.Net. Signed: `{body}` (hmac-sha512, hex). In `X-ANET-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Account, Settings, API Credentials & Keys, Signature Key.
   * @see https://developer.authorize.net/api/reference/features/webhooks.html
   */
  readonly "authorize-net": Scheme;
  /**
   * Amazon EventBridge API destinations. Signed: nothing: the secret itself is shown (token, text).
   * In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it: the value of the connection's API key. Set `header` to the name of the API
   * key; for `Authorization` the value begins with `Bearer `.
   * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
   */
  readonly "aws-eventbridge": Scheme;
  /**
   * AWS SNS. Signed: the named fields of the message's type, a line for each name and value, in byte
   * order (rsa-sha256, rsa-sha1, base64).
   * Covered: id, type, timestamp, field:Message, field:Subject, field:TopicArn, field:SubscribeURL,
   * field:Token. **The body is not authenticated.**
   * Window: ± 3900 s.
   * Key: `snsCertificates()`.
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
   */
  readonly "aws-sns": Scheme;
  /**
   * Azure Event Grid. Signed: nothing: the secret itself is shown (token, text). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it: put it into the query of the endpoint's URL, or into a secret delivery
   * header.
   * @see https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema
   */
  readonly "azure-event-grid": Scheme;
  /**
   * User and password (generic). Signed: `{body}` (token, base64). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `user:password`, as you gave them to the sender.
   * @see https://datatracker.ietf.org/doc/html/rfc7617
   */
  readonly "basic-auth": Scheme;
  /**
   * BigCommerce. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: The client secret of the app or API account that made the webhook: the text itself is the
   * key.
   * @see https://developer.bigcommerce.com/docs/integrations/webhooks
   */
  readonly bigcommerce: Scheme;
  /**
   * Bitbucket. Signed: `{body}` (hmac-sha256, hex). In `X-Hub-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you set on the webhook (repository or workspace settings, Webhooks).
   * @see https://www.atlassian.com/blog/bitbucket/enhanced-webhook-security
   */
  readonly bitbucket: Scheme;
  /**
   * Box. Signed: `{body}{timestamp}` (hmac-sha256, base64). In `box-signature-primary`,
   * `box-signature-secondary`, `box-delivery-timestamp`.
   * Covered: body, timestamp, id, type.
   * Window: ± 600 s.
   * Key: Developer Console, the app, Webhooks, Manage Signature Keys: primary and secondary key.
   * @see https://developer.box.com/guides/webhooks/v2/signatures-v2/
   */
  readonly box: Scheme;
  /**
   * Braintree. Signed: `{field:bt_payload}` (hmac-sha1, hex).
   * Covered: type, field:bt_payload. **The body is not authenticated.**
   * Window: no time signed.
   * Key: Control Panel, API: the private key; give the public key as `id` where you have several.
   * @see https://github.com/braintree/braintree_node/blob/master/lib/braintree/webhook_notification_gateway.js
   */
  readonly braintree: Scheme;
  /**
   * Brex. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Brex API, `GET /v1/webhooks/secrets`; a secret is base64 without a prefix.
   * @see https://developer.brex.com/docs/webhooks
   */
  readonly brex: Scheme;
  /**
   * Bridge. Signed: SHA-256 of {timestamp}.{body} (rsa-sha256, base64). In `X-Webhook-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 600 s.
   * Key: The `public_key` (PEM) in the answer that made the webhook; every endpoint has its own.
   * @see https://apidocs.bridge.xyz/platform/additional-information/webhooks/signature
   */
  readonly bridge: Scheme;
  /**
   * BTCPay Server. Signed: `{body}` (hmac-sha256, hex). In `BTCPay-Sig`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Store settings, Webhooks, the webhook's secret.
   * @see https://github.com/btcpayserver/btcpayserver/blob/master/BTCPayServer/Plugins/Webhooks/WebhookSender.cs
   */
  readonly btcpay: Scheme;
  /**
   * Buildkite. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `X-Buildkite-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Notification Services, the webhook's token, with “Send an HMAC signature” chosen.
   * @see https://buildkite.com/docs/apis/webhooks/pipelines
   */
  readonly buildkite: Scheme;
  /**
   * Cal.com. Signed: `{body}` (hmac-sha256, hex). In `X-Cal-Signature-256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook (Settings, Developer, Webhooks).
   * @see https://cal.com/docs/core-features/webhooks
   */
  readonly "cal-com": Scheme;
  /**
   * Calendly. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Calendly-Webhook-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 180 s.
   * Key: The `signing_key` of the webhook subscription; OAuth apps are given one when they are made.
   * @see https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures
   */
  readonly calendly: Scheme;
  /**
   * Cashfree. Signed: `{timestamp}{body}` (hmac-sha256, base64). In `x-webhook-signature`,
   * `x-webhook-timestamp`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The client secret of the API key in use.
   * @see https://www.cashfree.com/docs/payments/online/webhooks/signature-verification
   */
  readonly cashfree: Scheme;
  /**
   * Chargebee. Signed: `{body}` (token, base64). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: Settings, Configure Chargebee, API Keys and Webhooks: the user and password you set on the
   * webhook, as `user:password`.
   * @see https://www.chargebee.com/docs/2.0/webhook_settings.html#basic-authentication
   */
  readonly chargebee: Scheme;
  /**
   * Checkout.com. Signed: `{body}` (hmac-sha256, hex). In `Cko-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The signature key of the workflow's webhook action.
   * @see https://www.checkout.com/docs/workflows
   */
  readonly "checkout-com": Scheme;
  /**
   * Circle. Signed: `{body}` (ecdsa-p256-sha256-der, base64). In `X-Circle-Signature`,
   * `X-Circle-Key-Id`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: `keyLookup((id) => …)` around Circle's API method `GET /v2/notifications/publicKey/{id}`.
   * @see https://developers.circle.com/api-reference/verify-webhook-signatures
   */
  readonly circle: Scheme;
  /**
   * CircleCI. Signed: `{body}` (hmac-sha256, hex). In `circleci-signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Project settings, Webhooks, the webhook's secret token.
   * @see https://circleci.com/docs/outbound-webhooks/
   */
  readonly circleci: Scheme;
  /**
   * Clerk. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `svix-id`,
   * `svix-timestamp`, `svix-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Clerk Dashboard, Webhooks, the endpoint's signing secret (`whsec_…`).
   * @see https://clerk.com/docs/reference/backend/verify-webhook
   */
  readonly clerk: Scheme;
  /**
   * ClickUp. Signed: `{body}` (hmac-sha256, hex). In `X-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The `webhook.secret` in the answer to making the webhook.
   * @see https://developer.clickup.com/docs/webhooksignature
   */
  readonly clickup: Scheme;
  /**
   * CloudEvents webhooks. Signed: `{body}` (token, text). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The token you gave the sender.
   * @see https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md
   */
  readonly cloudevents: Scheme;
  /**
   * Cloudflare Stream. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Webhook-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: `secret` in the answer of the API that made the webhook subscription.
   * @see https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/
   */
  readonly "cloudflare-stream": Scheme;
  /**
   * Cloudinary. Signed: {body}{timestamp}{API secret} (sha1-suffix, sha256-suffix, hex). In
   * `X-Cld-Signature`, `X-Cld-Timestamp`.
   * Covered: body, timestamp, type.
   * Window: ± 7200 s.
   * Key: Cloudinary Console, Settings, API Keys, the API secret.
   * @see https://cloudinary.com/documentation/notification_signatures
   */
  readonly cloudinary: Scheme;
  /**
   * Coinbase CDP. Signed: v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0:
   * {timestamp}.{body} (hmac-sha256, hex). In `X-Hook0-Signature`.
   * Covered: timestamp, body.
   * Window: ± 300 s.
   * Key: `metadata.secret` in the answer that made the webhook subscription.
   * @see https://docs.cdp.coinbase.com/webhooks/verify-signatures
   */
  readonly "coinbase-cdp": Scheme;
  /**
   * Coinbase Commerce. Signed: `{body}` (hmac-sha256, hex). In `X-CC-Webhook-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Commerce settings, Notifications, Show shared secret.
   * @see https://docs.cdp.coinbase.com/commerce/webhooks/webhooks-security
   */
  readonly "coinbase-commerce": Scheme;
  /**
   * Coinflow. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Coinflow-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Coinflow Admin Dashboard, Developers, Webhooks, the webhook validation key.
   * @see https://docs.coinflow.cash/guides/developer-resources/webhooks/verifying-webhook-signatures
   */
  readonly coinflow: Scheme;
  /**
   * Coinify. Signed: `{body}` (hmac-sha256, hex). In `X-Coinify-Webhook-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The shared secret of the webhook.
   * @see https://coinify.readme.io/docs/webhook-signature
   */
  readonly coinify: Scheme;
  /**
   * Contentful. Signed: method, path, listed headers and body, a line each (hmac-sha256, hex). In
   * `x-contentful-signature`, `x-contentful-signed-headers`, `x-contentful-timestamp`.
   * Covered: method, url, timestamp, body.
   * Window: ± 30 s.
   * Key: Settings, Webhooks, Settings: the signing secret of the space (64 characters).
   * @see https://github.com/contentful/node-apps-toolkit/tree/main/src/requests
   */
  readonly contentful: Scheme;
  /**
   * Convoy (advanced). Signed: `{timestamp},{body}` (hmac-sha256, hex). In `X-Convoy-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The endpoint's secret, from the sender.
   * @see https://github.com/frain-dev/convoy/tree/main/pkg/signature
   */
  readonly convoy: Scheme;
  /**
   * Convoy (simple). Signed: `{body}` (hmac-sha256, hex). In `X-Convoy-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The endpoint's secret, from the sender.
   * @see https://github.com/frain-dev/convoy/tree/main/pkg/signature
   */
  readonly "convoy-simple": Scheme;
  /**
   * Cronofy. Signed: `{body}` (hmac-sha256, base64). In `Cronofy-HMAC-SHA256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Cronofy dashboard, the application, the client secret.
   * @see https://github.com/cronofy/cronofy-node/blob/master/src/index.js
   */
  readonly cronofy: Scheme;
  /**
   * Customer.io. Signed: `v0:{timestamp}:{body}` (hmac-sha256, hex). In `X-CIO-Signature`,
   * `X-CIO-Timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Data & Integrations, Integrations, Reporting Webhooks, the webhook's signing key.
   * @see https://customer.io/docs/journeys/webhooks/
   */
  readonly "customer-io": Scheme;
  /**
   * Discord. Signed: `{timestamp}{body}` (ed25519, hex). In `X-Signature-Ed25519`,
   * `X-Signature-Timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Developer Portal, the application, General Information, Public Key (hex).
   * @see https://docs.discord.com/developers/interactions/overview
   */
  readonly discord: Scheme;
  /**
   * Discourse. Signed: `{body}` (hmac-sha256, hex). In `X-Discourse-Event-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you gave the webhook (Admin, Advanced, Webhooks).
   * @see https://github.com/discourse/discourse/blob/main/app/jobs/regular/emit_web_hook_event.rb
   */
  readonly discourse: Scheme;
  /**
   * Docusign. Signed: `{body}` (hmac-sha256, base64). In `X-DocuSign-Signature-1`,
   * `X-DocuSign-Signature-2`, `X-DocuSign-Signature-3`, `X-DocuSign-Signature-4`,
   * `X-DocuSign-Signature-5`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: eSignature Settings, Connect, Connect Keys.
   * @see https://developers.docusign.com/platform/webhooks/connect/validate/
   */
  readonly docusign: Scheme;
  /**
   * Dodo Payments. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Dashboard, Developer, Webhooks, the endpoint's secret key (`whsec_…`).
   * @see https://github.com/dodopayments/dodopayments-typescript/blob/main/src/resources/webhooks/webhooks.ts
   */
  readonly "dodo-payments": Scheme;
  /**
   * Doppler. Signed: `{body}` (hmac-sha256, hex). In `X-Doppler-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook.
   * @see https://docs.doppler.com/docs/webhooks
   */
  readonly doppler: Scheme;
  /**
   * Dropbox. Signed: `{body}` (hmac-sha256, hex). In `X-Dropbox-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The app secret (App Console, the app, Settings).
   * @see https://github.com/dropbox/mdwebhook/blob/master/app.py
   */
  readonly dropbox: Scheme;
  /**
   * Dropbox Sign. Signed: `{field:event.event_time}{field:event.event_type}` (hmac-sha256, hex).
   * Covered: timestamp, type, field:event.event_time. **The body is not authenticated.**
   * Window: none by default.
   * Key: The API key of the account (Settings, API), or the app's for app callbacks.
   * @see https://github.com/hellosign/dropbox-sign-node/blob/main/model/eventCallbackHelper.ts
   */
  readonly "dropbox-sign": Scheme;
  /**
   * Dub. Signed: `{body}` (hmac-sha256, hex). In `Dub-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Dub, the workspace, Settings, Webhooks, the webhook's signing secret.
   * @see https://dub.co/docs/postbacks/verify-postback-requests
   */
  readonly dub: Scheme;
  /**
   * Dwolla. Signed: `{body}` (hmac-sha256, hex). In `X-Request-Signature-SHA-256`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook subscription.
   * @see https://developers.dwolla.com/docs/working-with-webhooks
   */
  readonly dwolla: Scheme;
  /**
   * EasyPost. Signed: `{body}` (hmac-sha256, hex). In `X-Hmac-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The `webhook_secret` you set on the webhook.
   * @see https://github.com/EasyPost/easypost-node/blob/master/src/utils/util.js
   */
  readonly easypost: Scheme;
  /**
   * eBay. Signed: `{body}` (ecdsa-p256-sha1-der, base64 of JSON with base64). In `X-EBAY-SIGNATURE`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: `keyLookup((kid) => …)` around the Notification API's `getPublicKey`, which needs an
   * application token.
   * @see https://github.com/eBay/event-notification-nodejs-sdk
   */
  readonly ebay: Scheme;
  /**
   * ElevenLabs. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `ElevenLabs-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 1800 s.
   * Key: ElevenLabs, Settings, Webhooks, the webhook's secret.
   * @see https://github.com/elevenlabs/elevenlabs-js/blob/main/src/wrapper/webhooks.ts
   */
  readonly elevenlabs: Scheme;
  /**
   * fal.ai. Signed: `{id}\n{header:x-fal-webhook-user-id}\n{timestamp}\n{body-sha256}` (ed25519,
   * hex). In `X-Fal-Webhook-Signature`, `X-Fal-Webhook-Timestamp`, `X-Fal-Webhook-Request-Id`.
   * Covered: id, header:x-fal-webhook-user-id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: `jwks("https://rest.fal.ai/.well-known/jwks.json")`; every key of the set is tried.
   * @see https://docs.fal.ai/model-endpoints/webhooks
   */
  readonly fal: Scheme;
  /**
   * FastSpring. Signed: `{body}` (hmac-sha256, base64). In `X-FS-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The HMAC SHA256 Secret you gave the webhook (Developer Tools, Webhooks).
   * @see https://developer.fastspring.com/docs/message-security
   */
  readonly fastspring: Scheme;
  /**
   * Figma. Signed: nothing: the passcode itself is shown, in the body (token, text).
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The `passcode` you gave the webhook.
   * @see https://github.com/figma/rest-api-spec/blob/main/openapi/openapi.yaml
   */
  readonly figma: Scheme;
  /**
   * Finch. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, base64). In `Finch-Event-Id`,
   * `Finch-Timestamp`, `Finch-Signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Finch Dashboard, Webhooks: the secret that is shown when the URL is registered.
   * @see https://github.com/Finch-API/finch-api-node/blob/main/src/resources/webhooks.ts
   */
  readonly finch: Scheme;
  /**
   * Fireblocks. Signed: {body} as the payload of a detached JWS (rsa-sha512, detached JWS (RS512)).
   * In `Fireblocks-Webhook-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: `jwks(url)` with the address of your environment from Fireblocks' documentation (Validating
   * webhooks).
   * @see https://developers.fireblocks.com/reference/validating-webhooks
   */
  readonly fireblocks: Scheme;
  /**
   * Flagsmith. Signed: `{body}` (hmac-sha256, hex). In `X-Flagsmith-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook.
   * @see https://docs.flagsmith.com/third-party-integrations/webhook
   */
  readonly flagsmith: Scheme;
  /**
   * Forgejo (Codeberg). Signed: `{body}` (hmac-sha256, hex). In `X-Forgejo-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you gave the webhook.
   * @see https://forgejo.org/docs/latest/user/webhooks/
   */
  readonly forgejo: Scheme;
  /**
   * Fourthwall. Signed: `{body}` (hmac-sha256, base64). In `X-Fourthwall-Hmac-SHA256`,
   * `X-Fourthwall-Hmac-Apps-SHA256`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Fourthwall, Settings, For developers, the webhook's secret; for a platform app its HMAC key.
   * @see https://docs.fourthwall.com/webhooks/signature-verification
   */
  readonly fourthwall: Scheme;
  /**
   * Front. Signed: `{timestamp}:{body}` (hmac-sha256, base64). In `X-Front-Signature`,
   * `X-Front-Request-Timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Front, Settings, Developers, the app, Basic information, the application's signing key.
   * @see https://dev.frontapp.com/docs/application-webhooks
   */
  readonly front: Scheme;
  /**
   * Front (rule webhooks). Signed: `{body}` (hmac-sha1, base64). In `X-Front-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Front, Settings, Developers, the API secret of the company.
   * @see https://dev.frontapp.com/docs/rule-webhooks
   */
  readonly "front-rule": Scheme;
  /**
   * FusionAuth. Signed: JWT with `request_body_sha256` of the body (rsa-sha256, JWT (RS256)). In
   * `X-FusionAuth-Signature-JWT`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: `jwks(url)` with `/.well-known/jwks.json` of your FusionAuth, or the public key in its Key
   * Master.
   * @see https://fusionauth.io/docs/extend/events-and-webhooks/signing
   */
  readonly fusionauth: Scheme;
  /**
   * Ghost. Signed: `{body}{timestamp}` (hmac-sha256, hex). In `X-Ghost-Signature`.
   * Covered: body, timestamp, type.
   * Window: ± 300 s.
   * Key: The secret you gave the webhook (Settings, Integrations, the integration).
   * @see https://github.com/TryGhost/Ghost/blob/main/ghost/core/core/server/services/webhooks/WebhookTrigger.js
   */
  readonly ghost: Scheme;
  /**
   * Gitea. Signed: `{body}` (hmac-sha256, hex). In `X-Gitea-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you set on the webhook (repository settings, Webhooks).
   * @see https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go
   */
  readonly gitea: Scheme;
  /**
   * GitHub. Signed: `{body}` (hmac-sha256, hex). In `X-Hub-Signature-256`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you gave the webhook (repository or organisation settings, Webhooks).
   * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
   */
  readonly github: Scheme;
  /**
   * GitHub secret scanning. Signed: `{body}` (ecdsa-p256-sha256-der, base64). In
   * `Github-Public-Key-Signature`, `Github-Public-Key-Identifier`.
   * Covered: body.
   * Window: no time signed.
   * Key: `jwks("https://api.github.com/meta/public_keys/secret_scanning", { read: readGithubKeys })`.
   * @see https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program
   */
  readonly "github-secret-scanning": Scheme;
  /**
   * GitLab (signing token). Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In
   * `webhook-id`, `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: The signing token of the webhook (project or group settings, Webhooks).
   * @see https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944
   */
  readonly gitlab: Scheme;
  /**
   * GitLab (secret token). Signed: `{body}` (token, text). In `X-Gitlab-Token`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The secret token you set on the webhook (project or group settings, Webhooks).
   * @see https://docs.gitlab.com/user/project/integrations/webhooks/
   */
  readonly "gitlab-token": Scheme;
  /**
   * GoCardless. Signed: `{body}` (hmac-sha256, hex). In `Webhook-Signature`.
   * Covered: body, id.
   * Window: no time signed.
   * Key: GoCardless dashboard, Developers, the webhook endpoint's secret.
   * @see https://github.com/gocardless/gocardless-nodejs/blob/master/src/webhooks.ts
   */
  readonly gocardless: Scheme;
  /**
   * Google Calendar and Drive channels. Signed: `{body}` (token, text). In `X-Goog-Channel-Token`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The `token` you gave the channel when you called `watch`: 16 to 256 characters, the same for
   * all channels.
   * @see https://developers.google.com/workspace/calendar/api/guides/push
   */
  readonly "google-channels": Scheme;
  /**
   * Google Chat. Signed: JWT; not the body (rsa-sha256, JWT (RS256)). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `jwks("https://www.googleapis.com/oauth2/v3/certs")`.
   * @see https://developers.google.com/workspace/chat/verify-requests-from-chat
   */
  readonly "google-chat": Scheme;
  /**
   * Google Cloud Scheduler. Signed: JWT; not the body (rsa-sha256, JWT (RS256)). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `jwks("https://www.googleapis.com/oauth2/v3/certs")`.
   * @see https://cloud.google.com/scheduler/docs/http-target-auth
   */
  readonly "google-cloud-scheduler": Scheme;
  /**
   * Google Cloud Tasks. Signed: JWT; not the body (rsa-sha256, JWT (RS256)). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `jwks("https://www.googleapis.com/oauth2/v3/certs")`.
   * @see https://cloud.google.com/tasks/docs/creating-http-target-tasks#token
   */
  readonly "google-cloud-tasks": Scheme;
  /**
   * Google Pub/Sub push. Signed: JWT with issuer, audience, e-mail and life; not the body
   * (rsa-sha256, JWT (RS256)). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `jwks("https://www.googleapis.com/oauth2/v3/certs")`.
   * @see https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
   */
  readonly "google-pubsub": Scheme;
  /**
   * Grafana alerting. Signed: `{body}` (hmac-sha256, hex). In `X-Grafana-Alerting-Signature`.
   * Covered: body, type.
   * Window: ± 300 s.
   * Key: The HMAC secret of the webhook contact point (Alerting, Contact points).
   * @see https://github.com/grafana/alerting/blob/main/http/hmac.go
   */
  readonly grafana: Scheme;
  /**
   * Help Scout. Signed: `{body}` (hmac-sha1, base64). In `X-HelpScout-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret key you gave the webhook (Manage, Apps, Webhooks).
   * @see https://developer.helpscout.com/webhooks
   */
  readonly "help-scout": Scheme;
  /**
   * Heroku. Signed: `{body}` (hmac-sha256, base64). In `Heroku-Webhook-Hmac-SHA256`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook, or the one the answer to making it showed.
   * @see https://devcenter.heroku.com/articles/app-webhooks#securing-webhook-requests
   */
  readonly heroku: Scheme;
  /**
   * Hook0. Signed: v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0:
   * {timestamp}.{body} (hmac-sha256, hex). In `X-Hook0-Signature`.
   * Covered: timestamp, body.
   * Window: ± 300 s.
   * Key: The subscription's secret in the sender's Hook0 dashboard or API.
   * @see https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints
   */
  readonly hook0: Scheme;
  /**
   * Hookdeck. Signed: `{body}` (hmac-sha256, base64). In `x-hookdeck-signature`,
   * `x-hookdeck-signature-2`.
   * Covered: body.
   * Window: no time signed.
   * Key: Hookdeck, Settings, Secrets, the project's signing secret.
   * @see https://github.com/hookdeck/webhook-skills/tree/main/skills/hookdeck-event-gateway-webhooks
   */
  readonly hookdeck: Scheme;
  /**
   * HubSpot v1. Signed: `{body}` (sha256-prefix, hex). In `X-HubSpot-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The app's client secret (developer account, the app, Auth).
   * @see https://developers.hubspot.com/docs/faq/v1-request-validation
   */
  readonly "hubspot-v1": Scheme;
  /**
   * HubSpot v2. Signed: `{method}{url}{body}` (sha256-prefix, hex). In `X-HubSpot-Signature`.
   * Covered: method, url, body.
   * Window: no time signed.
   * Key: The app's client secret (developer account, the app, Auth).
   * @see https://developers.hubspot.com/docs/faq/v2-request-validation
   */
  readonly "hubspot-v2": Scheme;
  /**
   * HubSpot v3. Signed: `{method}{url}{body}{timestamp}` (hmac-sha256, base64). In
   * `X-HubSpot-Signature-v3`, `X-HubSpot-Request-Timestamp`.
   * Covered: method, url, body, timestamp.
   * Window: ± 300 s.
   * Key: The app's client secret (developer account, the app, Auth).
   * @see https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation
   */
  readonly "hubspot-v3": Scheme;
  /**
   * Hygraph. Signed: JSON with `Body`, `EnvironmentName` and `TimeStamp` (hmac-sha256, base64). In
   * `gcms-signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The secret key you gave the webhook (32 characters or more).
   * @see https://github.com/hygraph/hygraph-utils
   */
  readonly hygraph: Scheme;
  /**
   * ImageKit. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `x-ik-signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: ImageKit dashboard, Developer options, Webhooks, the endpoint's secret.
   * @see https://imagekit.io/docs/webhooks
   */
  readonly imagekit: Scheme;
  /**
   * Inngest. Signed: `{body}{timestamp}` (hmac-sha256, hex). In `X-Inngest-Signature`.
   * Covered: body, timestamp, type.
   * Window: ± 300 s.
   * Key: Inngest, the environment, Manage, Signing key (`signkey-…`); the fallback key as a second
   * one.
   * @see https://github.com/inngest/inngest/blob/main/docs/SDK_SPEC.md
   */
  readonly inngest: Scheme;
  /**
   * Intercom. Signed: `{body}` (hmac-sha1, hex). In `X-Hub-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The app's client secret (Developer Hub, the app, Basic information).
   * @see https://developers.intercom.com/docs/webhooks/webhook-notifications
   */
  readonly intercom: Scheme;
  /**
   * Jira. Signed: `{body}` (hmac-sha256, hex). In `X-Hub-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you set on the webhook (Settings, System, WebHooks).
   * @see https://developer.atlassian.com/cloud/jira/platform/webhooks/
   */
  readonly jira: Scheme;
  /**
   * Kinde. Signed: the body, which is a JWT (rsa-sha256, JWT (RS256)).
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: `jwks("https://<your domain>.kinde.com/.well-known/jwks.json")`.
   * @see https://github.com/kinde-oss/kinde-webhooks-ts
   */
  readonly kinde: Scheme;
  /**
   * Klaviyo. Signed: `{body}{header:klaviyo-timestamp}` (hmac-sha256, hex). In `Klaviyo-Signature`,
   * `Klaviyo-Timestamp`.
   * Covered: body, header:klaviyo-timestamp, timestamp.
   * Window: ± 300 s.
   * Key: The secret key that you gave when you made the webhook.
   * @see https://developers.klaviyo.com/en/docs/working_with_system_webhooks
   */
  readonly klaviyo: Scheme;
  /**
   * Knock. Signed: `{timestamp}.{body}` (hmac-sha256, base64). In `x-knock-signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Knock dashboard, Developers, Webhooks, the webhook's secret key.
   * @see https://docs.knock.app/developer-tools/outbound-webhooks/overview
   */
  readonly knock: Scheme;
  /**
   * Lago (HMAC). Signed: `{body}` (hmac-sha256, base64). In `X-Lago-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The organization's HMAC key: Lago, Developers, Webhooks.
   * @see https://getlago.com/docs/api-reference/webhooks/format---signature
   */
  readonly lago: Scheme;
  /**
   * Lago (JWT). Signed: JWT with `data`, the text of the body (rsa-sha256, JWT (RS256)). In
   * `X-Lago-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Lago's API, `GET /api/v1/webhooks/public_key`: it answers with the PEM in base64; decode it.
   * @see https://github.com/getlago/lago-api/blob/main/app/models/webhook.rb
   */
  readonly "lago-jwt": Scheme;
  /**
   * Lark (Feishu). Signed: {timestamp}{header:x-lark-request-nonce}{encrypt key}{body} (sha256-infix,
   * hex). In `X-Lark-Signature`, `X-Lark-Request-Timestamp`, `X-Lark-Request-Nonce`.
   * Covered: timestamp, header:x-lark-request-nonce, body, id, type.
   * Window: ± 28800 s.
   * Key: Developer Console, the app, Events and callbacks, Encryption strategy, Encrypt Key.
   * @see https://open.larkoffice.com/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case
   */
  readonly lark: Scheme;
  /**
   * LaunchDarkly. Signed: `{body}` (hmac-sha256, hex). In `X-LD-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Organization settings, Integrations, the webhook's secret (Sign this webhook).
   * @see https://launchdarkly.com/docs/home/infrastructure/webhooks
   */
  readonly launchdarkly: Scheme;
  /**
   * Lemon Squeezy. Signed: `{body}` (hmac-sha256, hex). In `X-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The signing secret you set on the webhook (Settings, Webhooks).
   * @see https://github.com/lmsqueezy/nextjs-billing/blob/main/src/app/api/webhook/route.ts
   */
  readonly "lemon-squeezy": Scheme;
  /**
   * LINE. Signed: `{body}` (hmac-sha256, base64). In `X-Line-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: LINE Developers Console, the channel, Basic settings, Channel secret.
   * @see https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/
   */
  readonly line: Scheme;
  /**
   * Linear. Signed: `{body}` (hmac-sha256, hex). In `Linear-Signature`.
   * Covered: body, timestamp, type.
   * Window: ± 60 s.
   * Key: Linear, Settings, API, Webhooks, the webhook, Signing secret.
   * @see https://linear.app/developers/webhooks
   */
  readonly linear: Scheme;
  /**
   * LinkedIn. Signed: `hmacsha256={body}` (hmac-sha256, hex). In `X-LI-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: LinkedIn Developer Portal, the app, Auth, the primary client secret.
   * @see https://learn.microsoft.com/en-us/linkedin/shared/api-guide/webhook-validation
   */
  readonly linkedin: Scheme;
  /**
   * Lithic. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Lithic dashboard or API, the event subscription's secret (`whsec_…`).
   * @see https://github.com/lithic-com/lithic-node/blob/main/src/resources/webhooks.ts
   */
  readonly lithic: Scheme;
  /**
   * Liveblocks. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Liveblocks dashboard, the project, Webhooks, the endpoint's signing secret (`whsec_…`).
   * @see https://github.com/liveblocks/liveblocks/blob/main/packages/liveblocks-node/src/webhooks.ts
   */
  readonly liveblocks: Scheme;
  /**
   * LiveKit. Signed: JWT with `sha256` of the body (hmac-sha256, JWT (HS256)). In `Authorization`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The API secret; give the API key as `id` where you have several.
   * @see https://github.com/livekit/node-sdks/blob/main/packages/livekit-server-sdk/src/WebhookReceiver.ts
   */
  readonly livekit: Scheme;
  /**
   * Logto. Signed: `{body}` (hmac-sha256, hex). In `Logto-Signature-Sha-256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Logto Console, Webhooks, the webhook's signing key.
   * @see https://docs.logto.io/developers/webhooks/secure-webhooks
   */
  readonly logto: Scheme;
  /**
   * Mailchimp Marketing. Signed: nothing: the secret itself is shown, in the query (token, text).
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it, and put it into the query of the webhook's URL: `?secret=…`.
   * @see https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/
   */
  readonly mailchimp: Scheme;
  /**
   * MailerSend. Signed: `{body}` (hmac-sha256, hex). In `Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: MailerSend, the domain, Webhooks, the webhook's signing secret.
   * @see https://github.com/mailersend/mailersend-nodejs/blob/main/src/services/mailersend.utils.ts
   */
  readonly mailersend: Scheme;
  /**
   * Mailgun. Signed: `{field:signature.timestamp}{field:signature.token}` (hmac-sha256, hex).
   * Covered: timestamp, id, field:signature.token. **The body is not authenticated.**
   * Window: ± 32400 s.
   * Key: Mailgun, Settings, API Security, HTTP webhook signing key.
   * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
   */
  readonly mailgun: Scheme;
  /**
   * Make. Signed: nothing: the key itself is shown (token, text). In `x-make-apikey`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it: the value of the header in the scenario's HTTP module, 32 random characters
   * or more.
   * @see https://apps.make.com/gateway
   */
  readonly make: Scheme;
  /**
   * Mandrill (Mailchimp Transactional). Signed: {url}, then every form field as name and value,
   * sorted (hmac-sha1, base64). In `X-Mandrill-Signature`.
   * Covered: url, body.
   * Window: no time signed.
   * Key: Mandrill, Settings, Webhooks, the webhook's key.
   * @see https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/
   */
  readonly mandrill: Scheme;
  /**
   * Mercado Pago. Signed: `id:{query:data.id};request-id:{header:x-request-id};ts:{timestamp};`
   * (hmac-sha256, hex). In `x-signature`.
   * Covered: timestamp, header:x-request-id, field:data.id. **The body is not authenticated.**
   * Window: none by default.
   * Key: Your integrations, the application, Webhooks, the secret signature.
   * @see https://github.com/mercadopago/sdk-nodejs/blob/master/src/utils/webhook/index.ts
   */
  readonly "mercado-pago": Scheme;
  /**
   * MessageBird. Signed: JWT with `payload_hash` of the body and `url_hash` of the URL (hmac-sha256,
   * JWT (HS256)). In `MessageBird-Signature-JWT`.
   * Covered: url, body, timestamp.
   * Window: ± 60 s.
   * Key: MessageBird dashboard, Developers, API settings, the signing key.
   * @see https://github.com/messagebird/messagebird-nodejs/blob/master/lib/webhook-signature-jwt.js
   */
  readonly messagebird: Scheme;
  /**
   * Meta (Facebook, Instagram, WhatsApp). Signed: `{body}` (hmac-sha256, hex). In
   * `X-Hub-Signature-256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The app secret (App Dashboard, App settings, Basic).
   * @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started
   */
  readonly meta: Scheme;
  /**
   * Metronome. Signed: `{timestamp}\n{body}` (hmac-sha256, hex). In `Metronome-Webhook-Signature`,
   * `X-Metronome-Date`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Metronome, Developer, Webhooks, the webhook's secret.
   * @see https://github.com/Metronome-Industries/metronome-node/blob/main/src/resources/webhooks.ts
   */
  readonly metronome: Scheme;
  /**
   * Microsoft Graph. Signed: nothing: `clientState` of every item is compared with yours (token,
   * rsa-sha256, text).
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The `clientState` you gave when you made the subscription.
   * @see https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
   */
  readonly "microsoft-graph": Scheme;
  /**
   * Microsoft Teams outgoing webhooks. Signed: `{body}` (hmac-sha256, base64). In `Authorization`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The security token that Teams shows when the outgoing webhook is made.
   * @see https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook
   */
  readonly "microsoft-teams": Scheme;
  /**
   * Modern Treasury. Signed: `{body}` (hmac-sha256, hex). In `X-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Modern Treasury, Developers, Webhooks, the webhook key.
   * @see https://github.com/Modern-Treasury/modern-treasury-node/blob/main/src/resources/webhooks.ts
   */
  readonly "modern-treasury": Scheme;
  /**
   * Mollie. Signed: `{body}` (hmac-sha256, hex). In `X-Mollie-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Mollie dashboard or the Webhooks API, the webhook's signing secret.
   * @see https://github.com/mollie/mollie-api-php/blob/master/src/Webhooks/SignatureValidator.php
   */
  readonly mollie: Scheme;
  /**
   * monday.com. Signed: JWT; not the body (hmac-sha256, JWT (HS256)). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: Developer Center, the app, Basic information: the Signing Secret; for app lifecycle webhooks
   * the Client Secret. Give both if they come to one address.
   * @see https://developer.monday.com/apps/docs/advanced-concepts
   */
  readonly monday: Scheme;
  /**
   * Moneybird. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Moneybird-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The signing secret in the answer to making the webhook.
   * @see https://developer.moneybird.com/webhooks/verifying-signatures
   */
  readonly moneybird: Scheme;
  /**
   * MongoDB Atlas. Signed: `{body}` (hmac-sha1, base64). In `X-MMS-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: You choose it: Project Settings, Integrations, Webhook Settings, Webhook Secret.
   * @see https://www.mongodb.com/docs/atlas/tutorial/webhook-integration/
   */
  readonly "mongodb-atlas": Scheme;
  /**
   * Mux. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Mux-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Mux dashboard, Settings, Webhooks, the webhook's signing secret.
   * @see https://github.com/muxinc/mux-node-sdk/blob/master/src/resources/webhooks/webhooks.ts
   */
  readonly mux: Scheme;
  /**
   * Nango. Signed: `{body}` (hmac-sha256, hex). In `X-Nango-Hmac-Sha256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Nango, Environment Settings, Webhooks, the signing key; environments made before 21 April
   * 2026 sign with their secret key.
   * @see https://nango.dev/docs/guides/platform/webhooks-from-nango
   */
  readonly nango: Scheme;
  /**
   * Netlify. Signed: JWT with `sha256` of the body (hmac-sha256, JWT (HS256)). In
   * `X-Webhook-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The JWS secret token you gave the notification (Notifications, HTTP POST request).
   * @see https://docs.netlify.com/deploy/deploy-notifications/#payload-signature
   */
  readonly netlify: Scheme;
  /**
   * Notion. Signed: `{body}` (hmac-sha256, hex). In `X-Notion-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The `verification_token` of the handshake. Type it into the integration's Webhooks tab as
   * well: Postern's server prints it with `postern providers show-key notion`.
   * @see https://developers.notion.com/reference/webhooks
   */
  readonly notion: Scheme;
  /**
   * Nylas. Signed: `{body}` (hmac-sha256, hex). In `X-Nylas-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The `webhook_secret` in the answer to making the webhook.
   * @see https://developer.nylas.com/docs/v3/notifications/
   */
  readonly nylas: Scheme;
  /**
   * OpenID Connect ID token (generic). Signed: JWT; not the body (rsa-sha256, JWT (RS256)). In
   * `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: `jwks(url)` with the `jwks_uri` of the issuer's discovery document.
   * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
   */
  readonly oidc: Scheme;
  /**
   * Okta event hooks. Signed: `{body}` (token, text). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The authentication secret you set on the event hook (Workflow, Event Hooks).
   * @see https://developer.okta.com/docs/reference/hooks-best-practices/
   */
  readonly okta: Scheme;
  /**
   * Onfido. Signed: `{body}` (hmac-sha256, hex). In `X-SHA2-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The webhook's token: shown once, when the webhook is made by the API or the dashboard.
   * @see https://documentation.identity.entrust.com/api/manual-webhook-signature-verification/
   */
  readonly onfido: Scheme;
  /**
   * OpenAI. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Platform settings, Webhooks, the endpoint's signing secret (`whsec_…`).
   * @see https://github.com/openai/openai-node/blob/master/src/resources/webhooks/webhooks.ts
   */
  readonly openai: Scheme;
  /**
   * Orb. Signed: `v1:{timestamp}:{body}` (hmac-sha256, hex). In `X-Orb-Signature`, `X-Orb-Timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Orb, Developers, Webhooks, the endpoint's signing secret.
   * @see https://github.com/orbcorp/orb-node/blob/main/src/resources/webhooks.ts
   */
  readonly orb: Scheme;
  /**
   * Paddle Billing. Signed: `{timestamp}:{body}` (hmac-sha256, hex). In `Paddle-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 5 s.
   * Key: Paddle, Developer tools, Notifications, the destination, Secret key.
   * @see https://developer.paddle.com/webhooks/signature-verification
   */
  readonly paddle: Scheme;
  /**
   * Paddle Classic. Signed: every form field but `p_signature`, sorted, as PHP's `serialize` writes
   * them (rsa-sha1, base64).
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Paddle Classic, Developer Tools, Public Key (PEM).
   * @see https://developer.paddle.com/classic/webhook-reference/verifying-webhooks
   */
  readonly "paddle-classic": Scheme;
  /**
   * PagerDuty. Signed: `{body}` (hmac-sha256, hex). In `X-PagerDuty-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The secret shown once in the answer that made the webhook subscription.
   * @see https://github.com/PagerDuty/developer-docs/blob/main/docs/webhooks/04-Signatures.md
   */
  readonly pagerduty: Scheme;
  /**
   * PayMongo. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Paymongo-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: The webhook's `secret_key`, in the answer to making it.
   * @see https://developers.paymongo.com/docs/securing-webhook
   */
  readonly paymongo: Scheme;
  /**
   * PayPal. Signed: {header:paypal-transmission-id}|{timestamp}|{setting:webhookId}|{CRC-32 of the
   * body} (rsa-sha256, base64). In `PAYPAL-TRANSMISSION-ID`, `PAYPAL-TRANSMISSION-TIME`,
   * `PAYPAL-TRANSMISSION-SIG`, `PAYPAL-CERT-URL`, `PAYPAL-AUTH-ALGO`.
   * Covered: timestamp, header:paypal-transmission-id. **The body is not authenticated.**
   * Window: ± 262800 s.
   * Key: `paypalCertificates()`; the webhook id from the app's page in the PayPal developer
   * dashboard.
   * @see https://developer.paypal.com/api/rest/webhooks/rest/
   */
  readonly paypal: Scheme;
  /**
   * Paystack. Signed: `{body}` (hmac-sha512, hex). In `X-Paystack-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The integration's secret key (`sk_…`).
   * @see https://github.com/PaystackOSS/doc-code-snippets/tree/main/src/doc/payments/webhooks
   */
  readonly paystack: Scheme;
  /**
   * Persona. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Persona-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Persona dashboard, API, Webhooks, the webhook's secret.
   * @see https://docs.withpersona.com/webhooks-best-practices#checking-signatures
   */
  readonly persona: Scheme;
  /**
   * Plaid. Signed: JWT with `iat` and `request_body_sha256`, checked against the body
   * (ecdsa-p256-sha256, JWT (ES256)). In `Plaid-Verification`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: `keyLookup((kid) => …)` around Plaid's API method `/webhook_verification_key/get`.
   * @see https://plaid.com/docs/api/webhooks/webhook-verification/
   */
  readonly plaid: Scheme;
  /**
   * Plivo. Signed: {url} with its query sorted, then every form field as name and value, sorted, then
   * `.` and the nonce (hmac-sha256, base64). In `X-Plivo-Signature-V3`, `X-Plivo-Signature-V3-Nonce`.
   * Covered: method, url, body, header:x-plivo-signature-v3-nonce.
   * Window: no time signed.
   * Key: Plivo console, the account's auth token.
   * @see https://github.com/plivo/plivo-node/blob/master/lib/utils/v3Security.js
   */
  readonly plivo: Scheme;
  /**
   * Polar. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Polar, the organisation, Settings, Webhooks, the endpoint's secret: the text itself is the
   * key.
   * @see https://github.com/polarsource/polar-js/blob/main/src/webhooks.ts
   */
  readonly polar: Scheme;
  /**
   * PortOne. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: PortOne console, integration settings, webhooks of version 2, the webhook secret
   * (`whsec_…`).
   * @see https://github.com/portone-io/server-sdk
   */
  readonly portone: Scheme;
  /**
   * Postmark. Signed: `{body}` (token, base64). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The user and password you put into the webhook's URL or settings, as `user:password`.
   * @see https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook
   */
  readonly postmark: Scheme;
  /**
   * Pusher Channels. Signed: `{body}` (hmac-sha256, hex). In `X-Pusher-Signature`, `X-Pusher-Key`.
   * Covered: body, timestamp.
   * Window: none by default.
   * Key: Pusher dashboard, the app, App Keys: the secret; give its key as `id` where you have
   * several.
   * @see https://github.com/pusher/pusher-http-node/blob/master/lib/webhook.js
   */
  readonly pusher: Scheme;
  /**
   * QStash (Upstash). Signed: JWT with `body`, the SHA-256 of the body (hmac-sha256, JWT (HS256)). In
   * `Upstash-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: Upstash Console, QStash, Signing keys: the current and the next one.
   * @see https://upstash.com/docs/qstash/howto/signature
   */
  readonly qstash: Scheme;
  /**
   * QuickBooks Online. Signed: `{body}` (hmac-sha256, base64). In `intuit-signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: Intuit Developer, the app, Webhooks, Verifier token.
   * @see https://github.com/IntuitDeveloper/SampleApp-Webhooks-nodejs/blob/master/util/util.js
   */
  readonly quickbooks: Scheme;
  /**
   * Razorpay. Signed: `{body}` (hmac-sha256, hex). In `X-Razorpay-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you set on the webhook (Dashboard, Account & Settings, Webhooks).
   * @see https://www.npmjs.com/package/razorpay (validateWebhookSignature)
   */
  readonly razorpay: Scheme;
  /**
   * Recurly. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `recurly-signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Recurly, Integrations, Webhooks, the endpoint's secret key.
   * @see https://docs.recurly.com/recurly-subscriptions/docs/signature-verification
   */
  readonly recurly: Scheme;
  /**
   * Render. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Render dashboard, Integrations, Webhooks, the webhook's signing secret (`whsec_…`).
   * @see https://github.com/render-examples/webhook-discord-bot/blob/main/app.ts
   */
  readonly render: Scheme;
  /**
   * Replicate. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Replicate API, `GET /v1/webhooks/default/secret` (`whsec_…`).
   * @see https://replicate.com/docs/topics/webhooks/verify-webhook
   */
  readonly replicate: Scheme;
  /**
   * Resend. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `svix-id`,
   * `svix-timestamp`, `svix-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Resend, Webhooks, the webhook's signing secret (`whsec_…`).
   * @see https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests
   */
  readonly resend: Scheme;
  /**
   * Retell AI. Signed: `{body}{timestamp}` (hmac-sha256, hex). In `X-Retell-Signature`.
   * Covered: body, timestamp, type.
   * Window: ± 300 s.
   * Key: Retell dashboard, API Keys, the key with the webhook badge.
   * @see https://github.com/RetellAI/retell-typescript-sdk/blob/main/src/lib/webhook_auth.ts
   */
  readonly retell: Scheme;
  /**
   * Revolut. Signed: `v1.{timestamp}.{body}` (hmac-sha256, hex). In `Revolut-Signature`,
   * `Revolut-Request-Timestamp`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The signing secret `wsk_…` in the answer that made the webhook.
   * @see https://developer.revolut.com/docs/guides/manage-accounts/webhooks/verify-the-payload-signature
   */
  readonly revolut: Scheme;
  /**
   * HTTP message signatures (RFC 9421). Signed: a line for every component listed in Signature-Input,
   * then its parameters (ed25519, ecdsa-p256-sha256, ecdsa-p384-sha384, rsa-pss-sha512, rsa-sha256,
   * hmac-sha256, structured field bytes (base64)). In `Signature-Input`, `Signature`,
   * `Content-Digest`.
   * Covered: timestamp, method, url, body.
   * Window: ± 300 s.
   * Key: The sender; often `jwks(url)`, keys named by `keyid`.
   * @see https://www.rfc-editor.org/rfc/rfc9421
   */
  readonly rfc9421: Scheme;
  /**
   * Saleor. Signed: {body} as the payload of a detached JWS (rsa-sha256, detached JWS (RS256)). In
   * `Saleor-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: `jwks("https://<your store>/.well-known/jwks.json")`.
   * @see https://docs.saleor.io/developer/extending/webhooks/payload-signature
   */
  readonly saleor: Scheme;
  /**
   * Salesforce Marketing Cloud. Signed: `{body}` (hmac-sha256, base64). In `x-sfmc-ens-signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The `signatureKey` in the answer to making the callback; it is shown once. Its text is the
   * key, undecoded.
   * @see https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/ens-notification-signing.html
   */
  readonly "salesforce-marketing-cloud": Scheme;
  /**
   * Sanity. Signed: `{timestamp}.{body}` (hmac-sha256, base64url). In `sanity-webhook-signature`.
   * Covered: timestamp, body.
   * Window: ± 300 s.
   * Key: The secret you set on the webhook (sanity.io/manage, API, Webhooks).
   * @see https://github.com/sanity-io/webhook-toolkit
   */
  readonly sanity: Scheme;
  /**
   * Seam. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `svix-id`,
   * `svix-timestamp`, `svix-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Seam Console, Developer, Webhooks, the endpoint's signing secret (`whsec_…`).
   * @see https://github.com/seamapi/javascript-webhook
   */
  readonly seam: Scheme;
  /**
   * SendGrid. Signed: `{timestamp}{body}` (ecdsa-p256-sha256-der, base64). In
   * `X-Twilio-Email-Event-Webhook-Signature`, `X-Twilio-Email-Event-Webhook-Timestamp`.
   * Covered: timestamp, body.
   * Window: ± 90000 s.
   * Key: Settings, Mail Settings, Event Webhook, Signature Verification, Public Key (base64).
   * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
   */
  readonly sendgrid: Scheme;
  /**
   * Sentry. Signed: `{body}` (hmac-sha256, hex). In `Sentry-Hook-Signature`, `Sentry-App-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The integration's client secret (Settings, Custom Integrations).
   * @see https://github.com/getsentry/integration-platform-example/blob/main/backend-ts/src/api/middleware/verifySentrySignature.ts
   */
  readonly sentry: Scheme;
  /**
   * Shopify. Signed: `{body}` (hmac-sha256, base64). In `X-Shopify-Hmac-SHA256`,
   * `Shopify-Hmac-SHA256`.
   * Covered: body.
   * Window: no time signed.
   * Key: The app's client secret (Partner Dashboard, the app, API credentials); for webhooks made in
   * a shop's admin the key shown below them.
   * @see https://shopify.dev/docs/apps/build/webhooks/subscribe/https
   */
  readonly shopify: Scheme;
  /**
   * Slack. Signed: `v0:{timestamp}:{body}` (hmac-sha256, hex). In `X-Slack-Signature`,
   * `X-Slack-Request-Timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: api.slack.com/apps, the app, Basic Information, Signing Secret.
   * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
   */
  readonly slack: Scheme;
  /**
   * Snyk. Signed: `{body}` (hmac-sha256, hex). In `X-Hub-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret you gave when you made the webhook.
   * @see https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads
   */
  readonly snyk: Scheme;
  /**
   * Square. Signed: `{url}{body}` (hmac-sha256, base64). In `x-square-hmacsha256-signature`.
   * Covered: url, body, id, type.
   * Window: no time signed.
   * Key: Developer Console, the application, Webhooks, the subscription, Signature Key.
   * @see https://developer.squareup.com/docs/webhooks/step3validate
   */
  readonly square: Scheme;
  /**
   * Squarespace. Signed: `{body}` (hmac-sha256, hex). In `Squarespace-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The `secret` in the answer that made the webhook subscription, or rotated its secret.
   * @see https://developers.squarespace.com/commerce-apis/webhooks/verifying-notifications
   */
  readonly squarespace: Scheme;
  /**
   * Standard Webhooks. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In
   * `webhook-id`, `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: The sender's endpoint settings: a secret `whsec_…`, or a public key `whpk_…`.
   * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
   */
  readonly "standard-webhooks": Scheme;
  /**
   * Statsig. Signed: `v0:{timestamp}:{body}` (hmac-sha256, hex). In `X-Statsig-Signature`,
   * `X-Statsig-Request-Timestamp`.
   * Covered: timestamp, body.
   * Window: ± 300 s.
   * Key: Statsig console, Project Settings, Integrations, Generic Webhook, the signing secret.
   * @see https://docs.statsig.com/integrations/event_webhook
   */
  readonly statsig: Scheme;
  /**
   * Strava. Signed: nothing: the secret itself is shown, in the query (token, text).
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it, and put it into the query of the subscription's `callback_url`: `?secret=…`.
   * @see https://developers.strava.com/docs/webhooks/
   */
  readonly strava: Scheme;
  /**
   * Stream (GetStream). Signed: `{body}` (hmac-sha256, hex). In `X-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Stream dashboard, the app, the API secret.
   * @see https://github.com/GetStream/stream-chat-js/blob/master/src/signing.ts
   */
  readonly stream: Scheme;
  /**
   * Stripe. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `Stripe-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Dashboard, Developers, Webhooks, the endpoint's signing secret (`whsec_…`); `stripe listen`
   * prints its own.
   * @see https://docs.stripe.com/webhooks#verify-manually
   */
  readonly stripe: Scheme;
  /**
   * Sumsub. Signed: `{body}` (hmac-sha256, hmac-sha512, hex). In `X-Payload-Digest`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: Sumsub dashboard, Dev space, Webhooks, the webhook's secret key.
   * @see https://github.com/SumSubstance/agent-skills/blob/main/skills/sumsub-integrate-websdk/references/lifecycle.md
   */
  readonly sumsub: Scheme;
  /**
   * Supabase Auth hooks. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In
   * `webhook-id`, `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Supabase dashboard, Authentication, Hooks, the hook's secret; of `v1,whsec_…`, what stands
   * behind the comma.
   * @see https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go
   */
  readonly supabase: Scheme;
  /**
   * Svix. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, ed25519, base64). In `svix-id`,
   * `svix-timestamp`, `svix-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: The endpoint's signing secret (`whsec_…`) in the sender's dashboard.
   * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
   */
  readonly svix: Scheme;
  /**
   * Tally. Signed: `{body}` (hmac-sha256, base64). In `Tally-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The form, Integrations, Webhooks, the webhook, Add a signing secret.
   * @see https://tally.so/help/webhooks
   */
  readonly tally: Scheme;
  /**
   * Telegram Bot API. Signed: `{body}` (token, text). In `X-Telegram-Bot-Api-Secret-Token`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: The `secret_token` you gave `setWebhook`.
   * @see https://core.telegram.org/bots/api#setwebhook
   */
  readonly telegram: Scheme;
  /**
   * Telnyx. Signed: `{timestamp}|{body}` (ed25519, base64). In `telnyx-signature-ed25519`,
   * `telnyx-timestamp`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Mission Control Portal, Keys & Credentials, Public Key (base64).
   * @see https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks
   */
  readonly telnyx: Scheme;
  /**
   * HCP Terraform. Signed: `{body}` (hmac-sha512, hex). In `X-TFE-Notification-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The token you gave the notification configuration.
   * @see https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations#notification-authenticity
   */
  readonly terraform: Scheme;
  /**
   * TikTok. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `TikTok-Signature`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: TikTok for Developers, Manage apps, the app's client secret.
   * @see https://developers.tiktok.com/doc/webhooks-verification
   */
  readonly tiktok: Scheme;
  /**
   * Token in a header or query parameter (generic). Signed: nothing: the secret itself is shown
   * (token, text). In `Authorization`.
   * Covered: sender. **The body is not authenticated.**
   * Window: no time signed.
   * Key: You choose it, and tell it the sender: 32 random characters or more.
   * @see https://datatracker.ietf.org/doc/html/rfc6750
   */
  readonly token: Scheme;
  /**
   * Trello. Signed: `{body}{url}` (hmac-sha1, base64). In `X-Trello-Webhook`.
   * Covered: body, url, id, type.
   * Window: no time signed.
   * Key: The OAuth 1.0 secret of the Power-Up (trello.com/power-ups/admin, API key).
   * @see https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/
   */
  readonly trello: Scheme;
  /**
   * TrueLayer. Signed: {method} {path}, a line for every header the JWS lists, {body}
   * (ecdsa-p521-sha512, detached JWS (ES512)). In `Tl-Signature`, `X-TL-Webhook-Timestamp`.
   * Covered: method, url, body, timestamp, id, type.
   * Window: ± 300 s.
   * Key: `jwks("https://webhooks.truelayer.com/.well-known/jwks")`; sandbox:
   * `webhooks.truelayer-sandbox.com`.
   * @see https://github.com/TrueLayer/truelayer-signing
   */
  readonly truelayer: Scheme;
  /**
   * Turnkey. Signed: `v1.ed25519.{key-id}.{timestamp}.{id}.{body}` (ed25519, hex). In
   * `X-Turnkey-Signature`, `X-Turnkey-Timestamp`, `X-Turnkey-Event-Id`, `X-Turnkey-Signature-Key-Id`.
   * Covered: key-id, timestamp, id, body, type.
   * Window: ± 300 s.
   * Key: `jwks("https://api.turnkey.com/public/v1/discovery/webhooks/jwks")`.
   * @see https://docs.turnkey.com/features/webhooks/verify-signatures
   */
  readonly turnkey: Scheme;
  /**
   * Twilio. Signed: {url}, then every form field as name and value, sorted; other bodies by
   * `bodySHA256` in the URL (hmac-sha1, base64). In `X-Twilio-Signature`.
   * Covered: url, body.
   * Window: no time signed.
   * Key: Twilio Console, Account info, Auth Token (not an API key's secret).
   * @see https://www.twilio.com/docs/usage/webhooks/webhooks-security
   */
  readonly twilio: Scheme;
  /**
   * Twitch EventSub. Signed: `{id}{timestamp}{body}` (hmac-sha256, hex). In
   * `Twitch-Eventsub-Message-Signature`, `Twitch-Eventsub-Message-Timestamp`,
   * `Twitch-Eventsub-Message-Id`.
   * Covered: id, timestamp, body, type.
   * Window: ± 600 s.
   * Key: The secret you chose when you made the subscription (10 to 100 characters).
   * @see https://dev.twitch.tv/docs/eventsub/handling-webhook-events/
   */
  readonly twitch: Scheme;
  /**
   * Typeform. Signed: `{body}` (hmac-sha256, base64). In `Typeform-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The secret you set on the webhook (the form, Connect, Webhooks).
   * @see https://www.typeform.com/developers/webhooks/secure-your-webhooks/
   */
  readonly typeform: Scheme;
  /**
   * Vercel. Signed: `{body}` (hmac-sha1, hex). In `x-vercel-signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The secret shown when the webhook is made; for integrations the integration's client secret.
   * @see https://vercel.com/docs/webhooks/webhooks-api
   */
  readonly vercel: Scheme;
  /**
   * Viber. Signed: `{body}` (hmac-sha256, hex). In `X-Viber-Content-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: The bot's authentication token (Viber Admin Panel, the bot, Edit info).
   * @see https://github.com/Viber/viber-bot-python/blob/master/README.md
   */
  readonly viber: Scheme;
  /**
   * Vonage. Signed: JWT with `payload_hash` of the body (hmac-sha256, JWT (HS256)). In
   * `Authorization`.
   * Covered: body, timestamp, type.
   * Window: ± 300 s.
   * Key: Vonage dashboard, API settings, the signature secret.
   * @see https://developer.vonage.com/en/getting-started/concepts/webhooks#validating-signed-webhooks
   */
  readonly vonage: Scheme;
  /**
   * Webex. Signed: `{body}` (hmac-sha1, hex). In `X-Spark-Signature`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The secret you gave the webhook.
   * @see https://developer.webex.com/docs/receive-and-verify-webhooks
   */
  readonly webex: Scheme;
  /**
   * Webflow. Signed: `{timestamp}:{body}` (hmac-sha256, hex). In `x-webflow-signature`,
   * `x-webflow-timestamp`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: The OAuth application's client secret; for webhooks made with a site token the webhook's own
   * secret.
   * @see https://developers.webflow.com/data/docs/working-with-webhooks
   */
  readonly webflow: Scheme;
  /**
   * WebSub. Signed: `{body}` (hmac-sha256, hmac-sha384, hmac-sha512, hmac-sha1, hex). In
   * `X-Hub-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The `hub.secret` you sent with the subscription; with `algorithm` where the hub does not use
   * SHA-256.
   * @see https://www.w3.org/TR/websub/#authenticated-content-distribution
   */
  readonly websub: Scheme;
  /**
   * WeChat Pay. Signed: `{timestamp}\n{header:wechatpay-nonce}\n{body}\n` (rsa-sha256, base64). In
   * `Wechatpay-Signature`, `Wechatpay-Timestamp`, `Wechatpay-Nonce`, `Wechatpay-Serial`.
   * Covered: timestamp, header:wechatpay-nonce, body, id, type.
   * Window: ± 300 s.
   * Key: The public key of WeChat Pay with its id (`PUB_KEY_ID_…`), or a platform certificate with
   * its serial number as the id.
   * @see https://pay.weixin.qq.com/wiki/doc/apiv3/wechatpay/wechatpay4_1.shtml
   */
  readonly "wechat-pay": Scheme;
  /**
   * Whop. Signed: `{id}.{timestamp}.{body}` (hmac-sha256, base64). In `webhook-id`,
   * `webhook-timestamp`, `webhook-signature`.
   * Covered: id, timestamp, body, type.
   * Window: ± 300 s.
   * Key: Whop dashboard, Developer, Webhooks, the webhook's secret (`ws_…`): the text itself is the
   * key.
   * @see https://github.com/whopio/whop-nextjs-app-template/blob/main/lib/whop-sdk.ts
   */
  readonly whop: Scheme;
  /**
   * Wise. Signed: `{body}` (rsa-sha256, base64). In `X-Signature-SHA256`.
   * Covered: body, type.
   * Window: no time signed.
   * Key: The PEM Wise publishes for sandbox or production (documentation, Webhooks, Event handling).
   * @see https://docs.wise.com/guides/developer/webhooks/event-handling
   */
  readonly wise: Scheme;
  /**
   * Wix. Signed: the body, which is a JWT (rsa-sha256, JWT (RS256)).
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Wix app dashboard, Develop, Webhooks, Get Public Key (PEM).
   * @see https://dev.wix.com/docs/rest/articles/get-started/webhook-structure
   */
  readonly wix: Scheme;
  /**
   * WooCommerce. Signed: `{body}` (hmac-sha256, base64). In `X-WC-Webhook-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The secret of the webhook (WooCommerce, Settings, Advanced, Webhooks).
   * @see https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/includes/class-wc-webhook.php
   */
  readonly woocommerce: Scheme;
  /**
   * WorkOS. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `WorkOS-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 180 s.
   * Key: WorkOS Dashboard, Webhooks, the endpoint, Signing secret.
   * @see https://workos.com/docs/events/data-syncing/webhooks
   */
  readonly workos: Scheme;
  /**
   * Worldpay. Signed: `{body}` (hmac-sha256, hex). In `Event-Signature`.
   * Covered: body, id, type.
   * Window: no time signed.
   * Key: Ask your Worldpay Implementation Manager to enable the header and for the shared secret.
   * @see https://docs.worldpay.com/access/products/events/signature
   */
  readonly worldpay: Scheme;
  /**
   * X (Twitter). Signed: `{body}` (hmac-sha256, base64). In `x-twitter-webhooks-signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The app's consumer secret (API key secret) in the developer portal.
   * @see https://docs.x.com/x-api/webhooks/quickstart
   */
  readonly x: Scheme;
  /**
   * Xero. Signed: `{body}` (hmac-sha256, base64). In `x-xero-signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: developer.xero.com, the app, Webhooks, Webhooks key.
   * @see https://developer.xero.com/documentation/webhooks/configuring-your-server
   */
  readonly xero: Scheme;
  /**
   * YouTube (WebSub). Signed: `{body}` (hmac-sha1, hmac-sha256, hmac-sha384, hmac-sha512, hex). In
   * `X-Hub-Signature`.
   * Covered: body.
   * Window: no time signed.
   * Key: The `hub.secret` you sent with the subscription to `https://pubsubhubbub.appspot.com`.
   * @see https://developers.google.com/youtube/v3/guides/push_notifications
   */
  readonly youtube: Scheme;
  /**
   * Zendesk. Signed: `{timestamp}{body}` (hmac-sha256, base64). In `X-Zendesk-Webhook-Signature`,
   * `X-Zendesk-Webhook-Signature-Timestamp`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Admin Center, Apps and integrations, Webhooks, the webhook, Signing secret.
   * @see https://developer.zendesk.com/documentation/webhooks/verifying/
   */
  readonly zendesk: Scheme;
  /**
   * Zoho Payments. Signed: `{timestamp}.{body}` (hmac-sha256, hex). In `X-Zoho-Webhook-Signature`.
   * Covered: timestamp, body, id, type.
   * Window: ± 300 s.
   * Key: Zoho Payments, Settings, Developer Space, Webhooks, the webhook's signing key.
   * @see https://www.zoho.com/in/payments/developerdocs/webhooks/verification/
   */
  readonly "zoho-payments": Scheme;
  /**
   * Zoom. Signed: `v0:{timestamp}:{body}` (hmac-sha256, hex). In `x-zm-signature`,
   * `x-zm-request-timestamp`.
   * Covered: timestamp, body, type.
   * Window: ± 300 s.
   * Key: Zoom App Marketplace, the app, Features, Access, Secret Token.
   * @see https://developers.zoom.us/docs/api/webhooks/
   */
  readonly zoom: Scheme;
};

/** Every scheme by its name. */
export const all: Schemes = {
  "adobe-commerce": adobeCommerce,
  adyen: adyen,
  "adyen-platform": adyenPlatform,
  aftership: aftership,
  airtable: airtable,
  airwallex: airwallex,
  alchemy: alchemy,
  anthropic: anthropic,
  "apple-app-store": appleAppStore,
  asana: asana,
  auth0: auth0,
  "authorize-net": authorizeNet,
  "aws-eventbridge": awsEventbridge,
  "aws-sns": awsSns,
  "azure-event-grid": azureEventGrid,
  "basic-auth": basicAuth,
  bigcommerce: bigcommerce,
  bitbucket: bitbucket,
  box: box,
  braintree: braintree,
  brex: brex,
  bridge: bridge,
  btcpay: btcpay,
  buildkite: buildkite,
  "cal-com": calCom,
  calendly: calendly,
  cashfree: cashfree,
  chargebee: chargebee,
  "checkout-com": checkoutCom,
  circle: circle,
  circleci: circleci,
  clerk: clerk,
  clickup: clickup,
  cloudevents: cloudevents,
  "cloudflare-stream": cloudflareStream,
  cloudinary: cloudinary,
  "coinbase-cdp": coinbaseCdp,
  "coinbase-commerce": coinbaseCommerce,
  coinflow: coinflow,
  coinify: coinify,
  contentful: contentful,
  convoy: convoy,
  "convoy-simple": convoySimple,
  cronofy: cronofy,
  "customer-io": customerIo,
  discord: discord,
  discourse: discourse,
  docusign: docusign,
  "dodo-payments": dodoPayments,
  doppler: doppler,
  dropbox: dropbox,
  "dropbox-sign": dropboxSign,
  dub: dub,
  dwolla: dwolla,
  easypost: easypost,
  ebay: ebay,
  elevenlabs: elevenlabs,
  fal: fal,
  fastspring: fastspring,
  figma: figma,
  finch: finch,
  fireblocks: fireblocks,
  flagsmith: flagsmith,
  forgejo: forgejo,
  fourthwall: fourthwall,
  front: front,
  "front-rule": frontRule,
  fusionauth: fusionauth,
  ghost: ghost,
  gitea: gitea,
  github: github,
  "github-secret-scanning": githubSecretScanning,
  gitlab: gitlab,
  "gitlab-token": gitlabToken,
  gocardless: gocardless,
  "google-channels": googleChannels,
  "google-chat": googleChat,
  "google-cloud-scheduler": googleCloudScheduler,
  "google-cloud-tasks": googleCloudTasks,
  "google-pubsub": googlePubsub,
  grafana: grafana,
  "help-scout": helpScout,
  heroku: heroku,
  hook0: hook0,
  hookdeck: hookdeck,
  "hubspot-v1": hubspotV1,
  "hubspot-v2": hubspotV2,
  "hubspot-v3": hubspotV3,
  hygraph: hygraph,
  imagekit: imagekit,
  inngest: inngest,
  intercom: intercom,
  jira: jira,
  kinde: kinde,
  klaviyo: klaviyo,
  knock: knock,
  lago: lago,
  "lago-jwt": lagoJwt,
  lark: lark,
  launchdarkly: launchdarkly,
  "lemon-squeezy": lemonSqueezy,
  line: line,
  linear: linear,
  linkedin: linkedin,
  lithic: lithic,
  liveblocks: liveblocks,
  livekit: livekit,
  logto: logto,
  mailchimp: mailchimp,
  mailersend: mailersend,
  mailgun: mailgun,
  make: make,
  mandrill: mandrill,
  "mercado-pago": mercadoPago,
  messagebird: messagebird,
  meta: meta,
  metronome: metronome,
  "microsoft-graph": microsoftGraph,
  "microsoft-teams": microsoftTeams,
  "modern-treasury": modernTreasury,
  mollie: mollie,
  monday: monday,
  moneybird: moneybird,
  "mongodb-atlas": mongodbAtlas,
  mux: mux,
  nango: nango,
  netlify: netlify,
  notion: notion,
  nylas: nylas,
  oidc: oidc,
  okta: okta,
  onfido: onfido,
  openai: openai,
  orb: orb,
  paddle: paddle,
  "paddle-classic": paddleClassic,
  pagerduty: pagerduty,
  paymongo: paymongo,
  paypal: paypal,
  paystack: paystack,
  persona: persona,
  plaid: plaid,
  plivo: plivo,
  polar: polar,
  portone: portone,
  postmark: postmark,
  pusher: pusher,
  qstash: qstash,
  quickbooks: quickbooks,
  razorpay: razorpay,
  recurly: recurly,
  render: render,
  replicate: replicate,
  resend: resend,
  retell: retell,
  revolut: revolut,
  rfc9421: rfc9421,
  saleor: saleor,
  "salesforce-marketing-cloud": salesforceMarketingCloud,
  sanity: sanity,
  seam: seam,
  sendgrid: sendgrid,
  sentry: sentry,
  shopify: shopify,
  slack: slack,
  snyk: snyk,
  square: square,
  squarespace: squarespace,
  "standard-webhooks": standardWebhooks,
  statsig: statsig,
  strava: strava,
  stream: stream,
  stripe: stripe,
  sumsub: sumsub,
  supabase: supabase,
  svix: svix,
  tally: tally,
  telegram: telegram,
  telnyx: telnyx,
  terraform: terraform,
  tiktok: tiktok,
  token: token,
  trello: trello,
  truelayer: truelayer,
  turnkey: turnkey,
  twilio: twilio,
  twitch: twitch,
  typeform: typeform,
  vercel: vercel,
  viber: viber,
  vonage: vonage,
  webex: webex,
  webflow: webflow,
  websub: websub,
  "wechat-pay": wechatPay,
  whop: whop,
  wise: wise,
  wix: wix,
  woocommerce: woocommerce,
  workos: workos,
  worldpay: worldpay,
  x: x,
  xero: xero,
  youtube: youtube,
  zendesk: zendesk,
  "zoho-payments": zohoPayments,
  zoom: zoom,
};
