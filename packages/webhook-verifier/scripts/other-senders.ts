/**
 * A sender that signs nothing, and what a receiver can do instead. The README's list is made of
 * these.
 */
export interface UnsignedSender {
  readonly sender: string;
  /** The scheme that fits what it offers; undefined when it offers nothing. */
  readonly scheme?: string;
  readonly instead: string;
}

/** In the order of the alphabet. */
export const unsignedSenders: readonly UnsignedSender[] = [
  { sender: "Amazon EventBridge API destinations", scheme: "aws-eventbridge", instead: "an API key in a header" },
  { sender: "Auth0 log streams", scheme: "auth0", instead: "a token in `Authorization`" },
  { sender: "Azure DevOps service hooks", scheme: "basic-auth", instead: "user and password" },
  { sender: "Azure Event Grid", scheme: "azure-event-grid", instead: "a secret in the URL or a delivery header" },
  { sender: "Brevo", scheme: "token", instead: "a bearer token, or user and password" },
  { sender: "Chargebee", scheme: "chargebee", instead: "user and password" },
  { sender: "Datadog", scheme: "token", instead: "a header of your own" },
  { sender: "Docker Hub", scheme: "token", instead: "a secret in the query of the URL" },
  { sender: "Eventbrite", instead: "nothing: fetch what `api_url` names from Eventbrite's own host" },
  { sender: "Figma", scheme: "figma", instead: "a passcode in the body" },
  { sender: "GitLab without a signing token", scheme: "gitlab-token", instead: "a secret token" },
  { sender: "Google Calendar and Drive channels", scheme: "google-channels", instead: "the channel's token" },
  { sender: "Jotform", scheme: "token", instead: "a secret in the query of the URL" },
  { sender: "Mailchimp Marketing", scheme: "mailchimp", instead: "a secret in the query of the URL" },
  { sender: "Mailjet", scheme: "basic-auth", instead: "user and password in the URL" },
  { sender: "Make", scheme: "make", instead: "a key in a header" },
  { sender: "Mollie payment webhooks (`id=tr_…`)", instead: "nothing: fetch the payment by its id" },
  { sender: "monday.com without an app", scheme: "token", instead: "a secret in the query of the URL" },
  { sender: "New Relic", scheme: "token", instead: "a header of your own, or user and password" },
  { sender: "Okta event hooks", scheme: "okta", instead: "a secret in `Authorization`" },
  { sender: "Pipedrive", scheme: "basic-auth", instead: "user and password" },
  { sender: "Postmark", scheme: "postmark", instead: "user and password" },
  { sender: "Prometheus Alertmanager", scheme: "token", instead: "a bearer token, or user and password" },
  { sender: "RevenueCat", scheme: "token", instead: "a value of your own in `Authorization`" },
  { sender: "SparkPost", scheme: "basic-auth", instead: "user and password, or an OAuth token" },
  { sender: "Strava", scheme: "strava", instead: "a secret in the query of the URL; fetch the activity by its id" },
  { sender: "Supabase database webhooks", scheme: "token", instead: "a header of your own" },
  { sender: "Telegram bots", scheme: "telegram", instead: "a secret token" },
  { sender: "Zapier", scheme: "token", instead: "a header of your own, or user and password" },
];

/**
 * Senders that sign, and wait for a source that can be read. The README's list is made of these.
 */
export const waitingSenders: readonly { readonly sender: string; readonly why: string }[] = [
  {
    sender: "Flutterwave",
    why: "two ways of signing (`verif-hash`, `flutterwave-signature`), known from other people's code alone",
  },
  {
    sender: "ImageKit's newer headers (`webhook-id`, `webhook-signature`)",
    why: "its SDK 7 reads them, but its documentation names only `x-ik-signature`",
  },
  { sender: "Patreon", why: "signs with HMAC-MD5, which this package does not have" },
  { sender: "Paystack's newer header (`t=…,v1=<key id>:<hex>`)", why: "its name could not be read" },
  { sender: "TikTok Shop", why: "only other people's code could be read" },
];
