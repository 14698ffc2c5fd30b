import type { Rule } from '../rule.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret)

/** Publishable keys (`pk_live_…`) are meant to be seen. */
export const payments: readonly Rule[] = [
  // Clerk, Paystack, Knock, Resend-like services took the prefix over from Stripe.
  {
    type: 'stripe-secret-key',
    keywords: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_prod_', 'rk_prod_'],
    pattern: /[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}/,
    glued: true,
  },
  { type: 'stripe-webhook-secret', keywords: ['whsec_'], pattern: /whsec_[A-Za-z0-9+/]{24,80}={0,2}/ },
  {
    type: 'stripe-ephemeral-key',
    keywords: ['ek_live_', 'ek_test_'],
    pattern: /ek_(?:live|test)_[A-Za-z0-9,]{30,255}/,
  },
  { type: 'square-access-token', keywords: ['EAAA'], pattern: /EAAA[\w+=-]{56,64}/, accept: hasDigit },
  { type: 'square-access-token', keywords: ['sq0atp-', 'sq0csp-', 'sq0idp-'], pattern: /sq0(?:atp|csp)-[\w-]{22,64}/ },
  {
    type: 'shopify-token',
    keywords: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_', 'shpua_'],
    pattern: /shp(?:at|ca|pa|ss|tka|ua)_[a-fA-F0-9]{32}/,
  },
  { type: 'shopify-cli-token', keywords: ['atkn_', 'atkn_2.'], pattern: /atkn_(?:2\.)?[\w-]{60,400}/ },
  {
    type: 'plaid-token',
    keywords: ['access-sandbox-', 'access-development-', 'access-production-'],
    pattern: new RegExp(`access-(?:sandbox|development|production)-${UUID}`),
  },
  { type: 'razorpay-key', keywords: ['rzp_live_', 'rzp_test_'], pattern: /rzp_(?:live|test)_[A-Za-z0-9]{14,32}/ },
  {
    type: 'paypal-braintree-token',
    keywords: ['access_token$'],
    pattern: /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}/,
  },
  {
    type: 'adyen-api-key',
    keywords: ['AQE'],
    pattern: /AQE[a-z][A-Za-z0-9+/=*.-]{80,250}/,
    entropy: 4,
    accept: hasDigit,
  },
  { type: 'flutterwave-secret-key', keywords: ['FLWSECK'], pattern: /FLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,48}(?:-X)?/ },
  {
    type: 'mollie-api-key',
    keywords: ['live_', 'test_'],
    pattern: /(?:live|test)_[A-Za-z0-9]{30,35}/,
    entropy: 3.6,
    accept: hasDigit,
  },
  { type: 'lob-api-key', keywords: ['live_', 'test_'], pattern: /(?:live|test)_[a-f0-9]{35}/ },
  {
    type: 'paddle-api-key',
    keywords: ['pdl_'],
    pattern: /pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}/,
  },
  {
    type: 'gocardless-token',
    keywords: ['live_', 'sandbox_'],
    pattern: /(?:live|sandbox)_[\w-]{40}/,
    entropy: 4,
    accept: hasDigit,
  },
  { type: 'mercadopago-token', keywords: ['APP_USR-'], pattern: /APP_USR-\d{10,20}-\d{6}-[a-f0-9]{32}-\d{4,14}/ },
  { type: 'xendit-secret-key', keywords: ['xnd_'], pattern: /xnd_(?:production|development)_[A-Za-z0-9]{40,80}/ },
  { type: 'easypost-api-key', keywords: ['EZAK', 'EZTK'], pattern: /EZ[AT]K[A-Za-z0-9]{54}/ },
  { type: 'shippo-token', keywords: ['shippo_live_', 'shippo_test_'], pattern: /shippo_(?:live|test)_[a-f0-9]{40}/ },
  { type: 'duffel-token', keywords: ['duffel_live_', 'duffel_test_'], pattern: /duffel_(?:live|test)_[\w=-]{43,64}/ },
  { type: 'asaas-api-key', keywords: ['$aact_'], pattern: /\$aact_[\w:=+/$]{60,240}/ },
  { type: 'polar-token', keywords: ['polar_'], pattern: /polar_(?:oat|pat|at|rt|cs|whs)_[A-Za-z0-9_-]{32,80}/ },
  { type: 'brex-token', keywords: ['bxt_'], pattern: /bxt_[A-Za-z0-9]{30,64}/ },
  {
    type: 'mercury-token',
    keywords: ['secret-token:mercury_'],
    pattern: /secret-token:mercury_(?:production|sandbox)_[\w.]{20,200}/,
  },
  {
    type: 'finicity-token',
    keywords: ['finicity'],
    pattern: /finicity[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{32})/i,
  },
  {
    type: 'coinbase-api-key',
    keywords: ['organizations/'],
    pattern: new RegExp(`organizations/${UUID}/apiKeys/${UUID}`),
  },
  {
    type: 'checkout-com-secret-key',
    keywords: ['sk_', 'sk_sbox_'],
    pattern: /sk_(?:sbox_)?[a-z0-9]{26}[a-z0-9*$#=]/,
    entropy: 3.6,
    accept: (secret) => /\d.*\d/.test(secret.slice(3)),
  },
  { type: 'dodo-payments-key', keywords: ['dodo_'], pattern: /dodo_(?:live|test)_[A-Za-z0-9]{24,80}/ },
  { type: 'telnyx-api-key', keywords: ['KEY0'], pattern: /KEY0[0-9A-F]{31}_[A-Za-z0-9]{20,24}/ },
  {
    type: 'flutterwave-encryption-key',
    keywords: ['FLWSECK_TEST', 'FLWENCK'],
    pattern: /FLW(?:ENCK|SECK_TEST)-?[a-z0-9]{12,32}/,
  },
  { type: 'paystack-secret-key', keywords: ['sk_live_', 'sk_test_'], pattern: /sk_(?:live|test)_[a-f0-9]{40}/ },
  { type: 'ramp-token', keywords: ['ramp_'], pattern: /ramp_(?:id|sec|tok|business_tok)_[A-Za-z0-9]{24,64}/ },
]
