import { endsWithCrc32 } from '../checks/encodings.ts'
import { entropy } from '../checks/entropy.ts'
import type { Rule } from '../rule.ts'

/** The checksum proves a token; without it the token must at least be random, for a wrong guess here would leak one. */
const checkedOrRandom = (secret: string): boolean => {
  const body = secret.slice(secret.indexOf('_') + 1)
  return (body.length === 36 && endsWithCrc32(body)) || entropy(body) >= 3.5
}

export const forges: readonly Rule[] = [
  // Code hosts.
  {
    type: 'github-token',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /gh[pousr]_(?:[A-Za-z0-9]{36}(?=gh[pousr]_)|[A-Za-z0-9]{36,251})/,
    glued: true,
    accept: checkedOrRandom,
  },
  {
    type: 'github-installation-token',
    keywords: ['ghs_'],
    pattern: /ghs_(?:[A-Za-z0-9]{1,20}_)?eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,2000}/,
    glued: true,
  },
  { type: 'github-fine-grained-token', keywords: ['github_pat_'], pattern: /github_pat_\w{36,255}/, glued: true },
  {
    type: 'gitlab-token',
    keywords: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glsoat-',
      'glffct-',
      'glwt-',
    ],
    pattern: /gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w.-]{20,300}/,
    glued: true,
  },
  { type: 'gitlab-runner-registration-token', keywords: ['GR1348941'], pattern: /GR1348941[\w-]{20,40}/ },
  { type: 'gitlab-session-cookie', keywords: ['_gitlab_session='], pattern: /_gitlab_session=(?<secret>[0-9a-f]{32})/ },
  { type: 'bitbucket-app-password', keywords: ['ATBB'], pattern: /ATBB[A-Za-z0-9]{28,40}/ },
  {
    type: 'atlassian-api-token',
    keywords: ['ATATT3', 'ATCTT3', 'ATSTT3'],
    pattern: /AT[ACS]TT3[\w=.-]{40,400}/,
    glued: true,
  },
  { type: 'sourcegraph-token', keywords: ['sgp_'], pattern: /sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}/ },
  {
    type: 'sourcegraph-token',
    keywords: ['sgd_', 'sgs_', 'sgph_', 'slk_'],
    pattern: /(?:sgd|sgs|sgph|slk)_[a-f0-9]{40,64}/,
  },
  {
    type: 'jetbrains-token',
    keywords: ['perm:', 'perm-'],
    pattern: /perm[:-][A-Za-z0-9+/=]{4,200}\.[A-Za-z0-9+/=]{2,200}\.[A-Za-z0-9+/=]{20,200}/,
  },
  {
    type: 'gitea-token',
    keywords: ['gitea'],
    pattern: /gitea[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{40})/i,
  },

  // Package registries.
  { type: 'npm-token', keywords: ['npm_'], pattern: /npm_[A-Za-z0-9]{36,64}/, accept: checkedOrRandom },
  { type: 'pypi-token', keywords: ['pypi-AgE'], pattern: /pypi-AgE[A-Za-z0-9_-]{50,1000}/ },
  { type: 'rubygems-token', keywords: ['rubygems_'], pattern: /rubygems_[a-f0-9]{48}/ },
  { type: 'crates-io-token', keywords: ['cio'], pattern: /cio[A-Za-z0-9]{32}/, entropy: 3.6 },
  { type: 'nuget-api-key', keywords: ['oy2'], pattern: /oy2[a-z0-9]{43}/, entropy: 3.6 },
  { type: 'clojars-token', keywords: ['CLOJARS_'], pattern: /CLOJARS_[a-z0-9]{60}/ },
  { type: 'docker-token', keywords: ['dckr_pat_', 'dckr_oat_'], pattern: /dckr_(?:pat|oat)_[\w-]{20,80}/ },
  { type: 'artifactory-api-key', keywords: ['AKCp'], pattern: /AKCp[A-Za-z0-9]{60,80}/ },
  { type: 'artifactory-reference-token', keywords: ['cmVmd'], pattern: /cmVmd[A-Za-z0-9]{55,64}/ },
  { type: 'packagist-token', keywords: ['packagist_'], pattern: /packagist_[ou][ru]t_[a-f0-9]{60,80}/ },
  { type: 'jsr-token', keywords: ['jsrp_', 'jsrd_'], pattern: /jsr[pd]_[A-Za-z0-9]{40,64}/ },
  { type: 'cloudsmith-api-key', keywords: ['csa_', 'ccr_'], pattern: /(?:csa|ccr)_[A-Za-z0-9]{32,48}/ },

  // Continuous integration and code quality.
  {
    type: 'circleci-token',
    keywords: ['CCIPAT_', 'CCIPRJ_'],
    pattern: /CCI(?:PAT|PRJ)_[A-Za-z0-9]{16,32}_[a-f0-9]{40}/,
  },
  {
    type: 'buildkite-token',
    keywords: ['bkua_', 'bkaj_', 'bkct_', 'bkpat_'],
    pattern: /bk(?:ua|aj|ct|pat)_[a-z0-9]{40,64}/,
  },
  { type: 'sonar-token', keywords: ['sqp_', 'sqa_', 'squ_'], pattern: /sq[pau]_[a-z0-9]{40}/ },
  { type: 'snyk-token', keywords: ['snyk_'], pattern: /snyk_(?:uat|sat|pat)\.[\w.-]{20,200}/ },
  {
    type: 'appveyor-token',
    keywords: ['v2.'],
    pattern: /v2\.[a-z0-9]{20}/,
    entropy: 3.4,
    accept: (secret) => /\d.*\d/.test(secret),
  },
  { type: 'harness-token', keywords: ['pat.', 'sat.'], pattern: /[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}/ },
  {
    type: 'octopus-api-key',
    keywords: ['API-'],
    pattern: /API-[A-Z0-9]{26,40}/,
    accept: (secret) => /\d.*\d/.test(secret),
  },
  {
    type: 'codecov-token',
    keywords: ['codecov'],
    pattern:
      /codecov[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})/i,
  },
  {
    type: 'terraform-cloud-token',
    keywords: ['.atlasv1.'],
    lead: { of: /[A-Za-z0-9]/, most: 14 },
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}/,
  },
  { type: 'spacelift-token', keywords: ['spcl_'], pattern: /spcl_[\w-]{32,200}/ },
  { type: 'infracost-api-key', keywords: ['ico-'], pattern: /ico-[A-Za-z0-9]{32}/ },
  { type: 'pulumi-token', keywords: ['pul-'], pattern: /pul-[a-f0-9]{40}/ },
  { type: 'semgrep-token', keywords: ['sgapp_', 'swt_'], pattern: /(?:sgapp|swt)_[a-f0-9]{40,64}/ },
  { type: 'socket-token', keywords: ['sktsec_'], pattern: /sktsec_[\w-]{30,80}/ },
  { type: 'expo-token', keywords: ['expo_'], pattern: /expo_[A-Za-z0-9]{40}/ },
  { type: 'gitguardian-token', keywords: ['ggtt-'], pattern: /ggtt-[a-z]-[A-Za-z0-9_-]{10,80}/ },
  { type: 'depot-token', keywords: ['depot_'], pattern: /depot_(?:org|project|user)_[A-Za-z0-9]{48,80}/ },
  {
    type: 'nx-cloud-token',
    keywords: ['NX_CLOUD_ACCESS_TOKEN='],
    pattern: /NX_CLOUD_ACCESS_TOKEN=(?<secret>[A-Za-z0-9+/]{40,120}={0,2})/,
  },
]
