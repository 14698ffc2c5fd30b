import type { Rule } from '../rule.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret)
/** Services without a prefix of their own are known by their name, written before the key. */
const named = (name: string, body: string): RegExp =>
  new RegExp(`(?:${name})[\\w .-]{0,24}["']?[ \\t]{0,4}[=:][ \\t]{0,4}["']?(?<secret>${body})`, 'i')

export const saas: readonly Rule[] = [
  // Work and documents.
  { type: 'airtable-token', keywords: ['pat'], pattern: /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/ },
  { type: 'airtable-api-key', keywords: ['airtable'], pattern: named('airtable', 'key[A-Za-z0-9]{14}') },
  {
    type: 'notion-token',
    keywords: ['secret_', 'ntn_'],
    pattern: /(?:secret_|ntn_)[A-Za-z0-9]{40,60}/,
    accept: hasDigit,
  },
  {
    type: 'linear-api-key',
    keywords: ['lin_api_', 'lin_oauth_', 'lin_wh_'],
    pattern: /lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}/,
  },
  { type: 'figma-token', keywords: ['figd_', 'figu_', 'figr_', 'figo_'], pattern: /fig[duro]_[\w-]{32,80}/ },
  { type: 'asana-token', keywords: ['1/', '2/'], pattern: /(?:1\/\d{12,20}:|2\/\d{12,20}\/\d{12,20}:)[0-9a-f]{32}/ },
  { type: 'clickup-token', keywords: ['pk_'], pattern: /pk_\d{5,12}_[A-Z0-9]{32}/ },
  {
    type: 'monday-token',
    keywords: ['monday'],
    pattern: named('monday', '[A-Za-z0-9_-]{20,40}\\.[A-Za-z0-9_-]{40,400}\\.[A-Za-z0-9_-]{20,100}'),
  },
  { type: 'trello-token', keywords: ['ATTA'], pattern: /ATTA[a-f0-9]{60,72}/ },
  {
    type: 'dropbox-token',
    keywords: ['sl.'],
    pattern: /sl\.(?:u\.)?[\w-]{60,1600}={0,2}/,
    entropy: 4,
    accept: hasDigit,
  },
  { type: 'typeform-token', keywords: ['tfp_'], pattern: /tfp_[\w.=-]{40,80}/ },
  { type: 'contentful-token', keywords: ['CFPAT-'], pattern: /CFPAT-[\w-]{40,48}/ },
  { type: 'sanity-token', keywords: ['skr', 'skb', 'sk'], pattern: /sk[A-Za-z0-9]{80,180}/, entropy: 4.2 },
  { type: 'storyblok-token', keywords: ['storyblok'], pattern: named('storyblok', '[A-Za-z0-9]{22}tt') },
  { type: 'webflow-token', keywords: ['webflow', 'ws-'], pattern: named('webflow', '[a-f0-9]{64}') },
  { type: 'readme-api-key', keywords: ['rdme_'], pattern: /rdme_[a-z0-9]{60,80}/ },
  { type: 'retool-token', keywords: ['retool_'], pattern: /retool_[a-z0-9]{24,64}/ },
  { type: 'coda-token', keywords: ['coda'], pattern: named('coda', UUID) },
  { type: 'todoist-token', keywords: ['todoist'], pattern: named('todoist', '[a-f0-9]{40}') },
  { type: 'shortcut-token', keywords: ['shortcut', 'clubhouse'], pattern: named('shortcut|clubhouse', UUID) },
  { type: 'canva-client-secret', keywords: ['cnvca'], pattern: /cnvca[\w-]{40,64}/ },

  // Customers and identity.
  {
    type: 'hubspot-token',
    keywords: ['pat-na', 'pat-eu', 'pat-ap'],
    pattern: new RegExp(`pat-(?:na|eu|ap)\\d-${UUID}`),
  },
  { type: 'salesforce-token', keywords: ['00D'], pattern: /00D[A-Za-z0-9]{12}(?:[A-Z0-9]{3})?![\w.]{80,260}/ },
  { type: 'okta-token', keywords: ['SSWS '], pattern: /SSWS (?<secret>00[\w-]{40})/ },
  { type: 'okta-token', keywords: ['okta'], pattern: named('okta', '00[\\w-]{40}') },
  { type: 'auth0-management-secret', keywords: ['auth0'], pattern: named('auth0[\\w .-]{0,16}secret', '[\\w-]{64}') },
  {
    type: 'workos-api-key',
    keywords: ['sk_'],
    pattern: /sk_(?:live|test|prod|staging)?_?[A-Za-z0-9]{40,120}/,
    entropy: 4,
    accept: hasDigit,
  },
  { type: 'stytch-secret', keywords: ['secret-live-', 'secret-test-'], pattern: /secret-(?:live|test)-[\w=-]{30,64}/ },
  { type: 'statsig-secret', keywords: ['secret-'], pattern: /secret-[A-Za-z0-9]{40,50}/, accept: hasDigit },
  { type: 'launchdarkly-key', keywords: ['sdk-', 'api-'], pattern: new RegExp(`(?:sdk|api)-${UUID}`) },
  { type: 'zendesk-secret', keywords: ['zendesk'], pattern: named('zendesk', '[a-zA-Z0-9]{40}') },
  { type: 'freshdesk-key', keywords: ['freshdesk'], pattern: named('freshdesk', '[A-Za-z0-9]{20}') },
  {
    type: 'calendly-token',
    keywords: ['calendly'],
    pattern: named('calendly', 'eyJ[\\w-]{20,400}\\.[\\w-]{20,800}\\.[\\w-]{20,400}'),
  },
  { type: 'segment-token', keywords: ['sgp_'], pattern: /sgp_[A-Za-z0-9]{64}/ },
  { type: 'posthog-personal-key', keywords: ['phx_', 'phs_'], pattern: /ph[xs]_[\w-]{40,64}/ },
  {
    type: 'algolia-admin-key',
    keywords: ['algolia'],
    pattern: named('algolia[\\w .-]{0,16}(?:admin|api|write)', '[a-f0-9]{32}'),
  },
  { type: 'mapbox-secret-token', keywords: ['sk.eyJ'], pattern: /sk\.eyJ[\w-]{40,400}\.[\w-]{16,64}/ },
  {
    type: 'maxmind-license-key',
    keywords: ['_mmk'],
    lead: { of: /[\w]/, most: 36 },
    pattern: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/,
  },
  {
    type: 'shodan-api-key',
    keywords: ['shodan', 'censys'],
    pattern: named('shodan|censys', '[A-Za-z0-9]{32}'),
    accept: hasDigit,
  },
  { type: 'virustotal-key', keywords: ['virustotal', 'VT_API'], pattern: named('virustotal|VT_API', '[a-f0-9]{64}') },

  // Observability.
  {
    type: 'sentry-token',
    keywords: ['sntrys_', 'sntryu_', 'sntrya_', 'sntryi_'],
    pattern: /sntry[suai]_[A-Za-z0-9+/=_]{40,600}/,
  },
  {
    type: 'new-relic-key',
    keywords: ['NRAK-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRSP-', 'NRAL-'],
    pattern: /NR(?:AK|II|IQ|RA|SP|AL)-[\w-]{20,48}/,
  },
  {
    type: 'new-relic-license-key',
    keywords: ['FFFFNRAL'],
    lead: { of: /[a-f0-9]/i, most: 32 },
    pattern: /[a-fA-F0-9]{28,32}FFFFNRAL/i,
  },
  {
    type: 'datadog-key',
    keywords: ['datadog', 'dd_api', 'dd_app', 'dd-api', 'dd-app'],
    pattern: named('datadog|dd[_-]ap[ip]', '[a-f0-9]{40}|[a-f0-9]{32}'),
  },
  { type: 'datadog-key', keywords: ['ddapp_', 'ddpat_', 'pub_dd'], pattern: /dd(?:app|pat)_[A-Za-z0-9]{30,64}/ },
  {
    type: 'dynatrace-token',
    keywords: ['dt0c', 'dt0s', 'dt0e'],
    pattern: /dt0[cse]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}/,
  },
  {
    type: 'grafana-token',
    keywords: ['glsa_', 'glc_', 'glpt_'],
    pattern: /gl(?:sa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|c_[A-Za-z0-9+/]{32,400}={0,2}|pt_[A-Za-z0-9_]{32,80})/,
  },
  { type: 'grafana-api-key', keywords: ['eyJrIjoi'], pattern: /eyJrIjoi[A-Za-z0-9+/]{60,400}={0,2}/ },
  {
    type: 'honeycomb-key',
    keywords: ['hcaik_', 'hcxik_', 'hcalk_', 'hcamk_', 'hcxmk_', 'hcxlk_'],
    pattern: /hc[ax][ilm]k_[a-z0-9]{26,80}/,
  },
  { type: 'logfire-token', keywords: ['pylf_'], pattern: /pylf_v\d_[a-z]{2}_[A-Za-z0-9]{32,64}/ },
  { type: 'axiom-token', keywords: ['xaat-', 'xapt-', 'xait-'], pattern: new RegExp(`xa[aip]t-${UUID}`) },
  { type: 'rollbar-token', keywords: ['rollbar'], pattern: named('rollbar', '[a-f0-9]{32}') },
  { type: 'splunk-token', keywords: ['Splunk '], pattern: new RegExp(`Splunk (?<secret>${UUID})`) },
  { type: 'sumologic-key', keywords: ['sumo'], pattern: named('sumo(?:logic)?[\\w .-]{0,16}key', '[A-Za-z0-9]{64}') },
  {
    type: 'uptimerobot-api-key',
    keywords: ['uptimerobot'],
    pattern: named('uptimerobot', 'u[rm]?\\d{4,9}-[a-f0-9]{24}'),
  },
  { type: 'incident-io-key', keywords: ['inc_'], pattern: /inc_[a-f0-9]{64}/ },
  { type: 'checkly-key', keywords: ['cu_', 'cs_'], pattern: /c[us]_[a-f0-9]{32}/ },

  // Tools and automation.
  { type: 'postman-api-key', keywords: ['PMAK-', 'PMAT-'], pattern: /PMA[KT]-[A-Za-z0-9]{24,32}(?:-[a-f0-9]{34})?/ },
  {
    type: 'rapidapi-key',
    keywords: ['msh'],
    lead: { of: /[a-z0-9]/, most: 10 },
    pattern: /[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5,6}jsn[a-f0-9]{12,15}/,
  },
  { type: 'apify-token', keywords: ['apify_api_'], pattern: /apify_api_[A-Za-z0-9]{36,48}/ },
  {
    type: 'scraping-api-key',
    keywords: ['scrapingbee', 'zenrows'],
    pattern: named('scrapingbee|zenrows', '[A-Za-z0-9]{40,80}'),
  },
  { type: 'n8n-api-key', keywords: ['n8n_api_'], pattern: /n8n_api_[a-f0-9]{64,128}/ },
  { type: 'prefect-key', keywords: ['pnu_', 'pnb_'], pattern: /pn[ub]_[A-Za-z0-9]{36}/ },
  { type: 'windmill-token', keywords: ['wmill', 'windmill'], pattern: named('wmill|windmill', '[A-Za-z0-9]{32}') },
  { type: 'pipedream-key', keywords: ['pd_'], pattern: /pd_[a-f0-9]{32}/ },
  { type: 'trigger-dev-key', keywords: ['tr_'], pattern: /tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{20,64}/ },
  { type: 'inngest-key', keywords: ['signkey-'], pattern: /signkey-(?:prod|test|branch|dev)-[a-f0-9]{32,64}/ },
  {
    type: 'svix-key',
    keywords: ['testsk_', 'sk_', 'livesk_'],
    pattern: /(?:test|live)?sk_[\w-]{32}\.(?:us|eu|in|au|ca)/,
  },
  {
    type: 'composio-key',
    keywords: ['ak_'],
    pattern: /ak_[\w-]{20,40}/,
    entropy: 3.8,
    accept: (secret) => /[0-9]/.test(secret) && /[A-Z]/.test(secret) && /[a-z]/.test(secret.slice(3)),
  },
  { type: 'exa-api-key', keywords: ['exa_'], pattern: named('exa_api_key', UUID) },
  { type: 'serpapi-key', keywords: ['serpapi', 'serp_api'], pattern: named('serp_?api', '[a-f0-9]{64}') },
  { type: 'openweather-key', keywords: ['appid='], pattern: /appid=(?<secret>[a-f0-9]{32})/i },
  { type: 'beamer-token', keywords: ['b_'], pattern: /b_[A-Za-z0-9+/]{43}=/ },
  { type: 'frameio-token', keywords: ['fio-u-'], pattern: /fio-u-[\w=-]{64}/ },
  { type: 'lokalise-token', keywords: ['lokalise'], pattern: named('lokalise', '[a-z0-9]{40}') },
  { type: 'adobe-client-secret', keywords: ['p8e-', 'p8-'], pattern: /p8e?-[\w-]{32}/, accept: hasDigit },
  { type: 'adafruit-io-key', keywords: ['aio_'], pattern: /aio_[A-Za-z0-9]{28}/ },
  { type: 'flightaware-api-key', keywords: ['aeroapi'], pattern: named('aeroapi', '[A-Za-z0-9]{32}') },
  { type: 'sendbird-token', keywords: ['sendbird'], pattern: named('sendbird', '[a-f0-9]{40}') },
  { type: 'yelp-api-key', keywords: ['yelp'], pattern: named('yelp', '[\\w-]{128}') },
  { type: 'ubidots-token', keywords: ['BBFF-', 'BBUS-'], pattern: /BB(?:FF|US)-[A-Za-z0-9]{30,40}/ },
  { type: 'unkey-key', keywords: ['unkey_'], pattern: /unkey_[A-Za-z0-9]{16,48}/ },
  { type: 'fullstory-key', keywords: ['na1.', 'eu1.'], pattern: /(?:na|eu)1\.[A-Za-z0-9+/]{60,100}={0,2}/ },
]
