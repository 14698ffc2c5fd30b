import type { Rule } from '../rule.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret)

export const infra: readonly Rule[] = [
  // Secret stores.
  { type: 'vault-token', keywords: ['hvs.', 'hvb.', 'hvr.'], pattern: /hv[sbr]\.[\w-]{20,400}/, accept: hasDigit },
  {
    type: 'vault-unseal-key',
    keywords: ['Unseal Key '],
    pattern: /Unseal Key \d{1,2}: (?<secret>[A-Za-z0-9+/]{44,64}={0,2})/,
  },
  {
    type: 'doppler-token',
    keywords: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    pattern: /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,64}\.)?[A-Za-z0-9]{40,44}/,
  },
  {
    type: 'infisical-token',
    keywords: ['st.'],
    pattern: /st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}|st\.[0-9a-f-]{36}\.[a-f0-9]{32,64}\.[a-f0-9]{32,64}/,
  },
  {
    type: 'onepassword-service-account-token',
    keywords: ['ops_eyJ'],
    pattern: /ops_eyJ[A-Za-z0-9+/_-]{80,2000}={0,3}/,
  },
  {
    type: 'onepassword-secret-key',
    keywords: ['A3-'],
    pattern: /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
  },
  {
    type: 'bitwarden-access-token',
    keywords: ['0.'],
    pattern: new RegExp(`0\\.${UUID}\\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==`),
  },
  { type: 'keeper-token', keywords: ['US:', 'EU:', 'AU:'], pattern: /(?:US|EU|AU):[\w-]{43}/, entropy: 4.2 },

  // Databases.
  { type: 'databricks-token', keywords: ['dapi', 'dkea', 'dose'], pattern: /(?:dapi|dkea|doseb?)[a-f0-9]{32}(?:-\d)?/ },
  {
    type: 'planetscale-token',
    keywords: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_', 'pscale_api_'],
    pattern: /pscale_(?:tkn|pw|oauth|api)_[\w=.-]{32,64}/,
  },
  { type: 'supabase-secret-key', keywords: ['sb_secret_'], pattern: /sb_secret_[\w-]{20,80}/ },
  { type: 'supabase-access-token', keywords: ['sbp_'], pattern: /sbp_(?:v\d_)?[a-f0-9]{40}/ },
  { type: 'neon-api-key', keywords: ['napi_', 'npg_'], pattern: /(?:napi_[a-z0-9]{40,80}|npg_[A-Za-z0-9]{12,32})/ },
  { type: 'xata-api-key', keywords: ['xau_'], pattern: /xau_[A-Za-z0-9]{32,48}/ },
  { type: 'mongodb-service-account-secret', keywords: ['mdb_sa_sk_'], pattern: /mdb_sa_sk_[\w-]{36,48}/ },
  { type: 'aiven-password', keywords: ['AVNS_'], pattern: /AVNS_[\w-]{15,24}/ },
  { type: 'cockroach-api-key', keywords: ['CCDB1_'], pattern: /CCDB1_[A-Za-z0-9]{20,24}_[A-Za-z0-9]{36,44}/ },
  { type: 'fauna-secret', keywords: ['fnAC', 'fnAE', 'fnAF'], pattern: /fnA[CEF][\w-]{36,40}/ },
  { type: 'confluent-secret', keywords: ['cflt'], pattern: /cflt[A-Za-z0-9+/]{60}/ },
  { type: 'materialize-app-password', keywords: ['mzp_'], pattern: /mzp_[a-f0-9]{64}/ },
  { type: 'dbt-token', keywords: ['dbtc_', 'dbtu_', 'dbts_'], pattern: /dbt[cus]_[\w+=-]{38,64}/ },
  { type: 'appwrite-key', keywords: ['standard_'], pattern: /standard_[a-f0-9]{200,260}/ },
  {
    type: 'convex-deploy-key',
    keywords: ['prod:', 'preview:', 'dev:'],
    pattern: /(?:prod|dev|preview):[a-z0-9:-]{4,60}\|[A-Za-z0-9+/=]{60,200}/,
  },
  {
    type: 'upstash-redis-url',
    keywords: ['.upstash.io'],
    pattern: /\.upstash\.io["']?,?[ \t]?token:[ \t]?["'](?<secret>[A-Za-z0-9=]{40,120})/,
    glued: true,
  },
  {
    type: 'elastic-api-key',
    keywords: ['ApiKey '],
    pattern: /ApiKey (?<secret>[A-Za-z0-9+/]{40,120}={0,2})/,
    accept: hasDigit,
  },
  {
    type: 'prisma-api-key',
    keywords: ['prisma://', 'prisma+postgres://'],
    pattern: /prisma(?:\+postgres)?:\/\/[^\s"'?]{4,100}\?api_key=(?<secret>[\w.-]{40,2000})/,
  },
  { type: 'tinybird-token', keywords: ['p.eyJ'], pattern: /p\.eyJ[\w-]{40,400}\.[\w-]{20,100}/ },
  {
    type: 'meilisearch-key',
    keywords: ['meili'],
    pattern: /meili[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[\w-]{32,64})/i,
    entropy: 3.5,
    accept: hasDigit,
  },

  // Clusters and networks.
  {
    type: 'tailscale-key',
    keywords: ['tskey-'],
    pattern: /tskey-(?:[a-z]{2,10}-)?[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64}/,
  },
  { type: 'netbird-token', keywords: ['nbp_'], pattern: /nbp_[A-Za-z0-9]{36}/ },
  {
    type: 'docker-swarm-token',
    keywords: ['SWMTKN-1-', 'SWMKEY-1-'],
    pattern: /SWM(?:TKN-1-[a-z0-9]{49,51}-[a-z0-9]{25}|KEY-1-[A-Za-z0-9+/]{43})/,
  },
  { type: 'k3s-token', keywords: ['K10'], pattern: /K10[a-f0-9]{64}::[a-z]{4,10}:[\w.-]{16,128}/ },
  {
    type: 'kubernetes-bootstrap-token',
    keywords: ['--token'],
    pattern: /--token[ =](?<secret>[a-z0-9]{6}\.[a-z0-9]{16})/,
  },
  {
    type: 'rancher-token',
    keywords: ['token-', 'kubeconfig-u-', 'kubeconfig-user-'],
    pattern: /(?:token|kubeconfig-u(?:ser)?)-[a-z0-9.-]{5,24}:[a-z0-9]{54}/,
  },
  { type: 'portainer-token', keywords: ['ptr_'], pattern: /ptr_[A-Za-z0-9+/]{43}=/ },
  { type: 'openshift-token', keywords: ['sha256~'], pattern: /sha256~[\w-]{43}/ },
  {
    type: 'ngrok-token',
    keywords: ['ngrok', 'authtoken'],
    pattern: /(?:ngrok[^\n]{0,40}?)?authtoken["']?[ \t]{0,4}[=: ][ \t]{0,4}["']?(?<secret>[\w]{40,60})/i,
    entropy: 4,
  },
  { type: 'cloudflared-tunnel-token', keywords: ['eyJhIjoi'], pattern: /eyJhIjoi[A-Za-z0-9+/_-]{100,400}={0,2}/ },
  {
    type: 'teleport-token',
    keywords: ['tbot+proto', 'teleport'],
    pattern: /teleport[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{32})/i,
  },
  {
    type: 'hashicorp-acl-token',
    keywords: ['CONSUL_HTTP_TOKEN', 'NOMAD_TOKEN', 'X-Consul-Token', 'X-Nomad-Token'],
    pattern: new RegExp(
      `(?:CONSUL_HTTP_TOKEN|NOMAD_TOKEN|X-(?:Consul|Nomad)-Token)["']?[ \\t]{0,4}[=:][ \\t]{0,4}["']?(?<secret>${UUID})`,
      'i',
    ),
  },
  {
    type: 'scaleway-secret-key',
    keywords: ['SCW_SECRET_KEY', 'scaleway'],
    pattern: new RegExp(
      `(?:SCW_SECRET_KEY|scaleway)[\\w .-]{0,24}["']?[ \\t]{0,4}[=:][ \\t]{0,4}["']?(?<secret>${UUID})`,
      'i',
    ),
  },
]
