import { decodeBase64 } from '../checks/encodings.ts'
import type { Rule } from '../rule.ts'

const hasAllKinds = (secret: string): boolean => /[a-z]/.test(secret) && /[A-Z]/.test(secret) && /[0-9]/.test(secret)

export const clouds: readonly Rule[] = [
  // Amazon. The identifiers of roles, users and groups (AROA, AIDA, AGPA) are no secrets.
  {
    type: 'aws-access-key-id',
    keywords: ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'A3T'],
    pattern: /(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}/,
  },
  {
    type: 'aws-secret-access-key',
    keywords: ['secret_access_key', 'secretAccessKey', 'secret access key', 'aws_secret_key'],
    pattern:
      /(?:secret[_ ]?access[_ ]?key|aws_secret_key)(?:\\{0,3}["'])?[ \t]{0,8}(?::|=|=>|,)[ \t]{0,8}(?:\\{0,3}["'])?(?<secret>[A-Za-z0-9/+]{40})(?![/+=])/i,
    glued: true,
    accept: hasAllKinds,
  },
  {
    type: 'aws-secret-access-key',
    keywords: ['AKIA', 'ASIA'],
    pattern: /(?:AKIA|ASIA)[A-Z2-7]{16}[^\w\n]{1,6}(?:[\w ]{1,32}[^\w\n]{1,6})?(?<secret>[A-Za-z0-9/+]{40})(?![/+=])/,
    accept: hasAllKinds,
  },
  {
    type: 'aws-session-token',
    keywords: ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz', 'FQoGZXIvYXdz'],
    pattern: /(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/%]{80,4000}={0,2}/,
  },
  { type: 'aws-bedrock-api-key', keywords: ['ABSK'], pattern: /ABSK[A-Za-z0-9+/]{80,300}={0,2}/ },
  {
    type: 'aws-bedrock-api-key',
    keywords: ['bedrock-api-key-'],
    pattern: /bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=_-]{8,4000}/,
  },
  {
    type: 'aws-mws-auth-token',
    keywords: ['amzn.mws.'],
    pattern: /amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
  },
  { type: 'amazon-oauth-client-secret', keywords: ['amzn1.oa2-cs.v1.'], pattern: /amzn1\.oa2-cs\.v1\.[0-9a-f]{64}/ },
  { type: 'aws-signature', keywords: ['X-Amz-Signature='], pattern: /X-Amz-Signature=(?<secret>[0-9a-f]{64})/i },

  // Google.
  { type: 'google-api-key', keywords: ['AIza'], pattern: /AIza[\w-]{35}/ },
  { type: 'google-api-key', keywords: ['AQ.Ab'], pattern: /AQ\.Ab[\w-]{30,120}/ },
  { type: 'google-oauth-client-secret', keywords: ['GOCSPX-'], pattern: /GOCSPX-[\w-]{24,40}/ },
  { type: 'google-oauth-access-token', keywords: ['ya29.'], pattern: /ya29\.[\w.-]{20,2048}/ },
  { type: 'google-oauth-refresh-token', keywords: ['1//0'], pattern: /1\/\/0[\w-]{40,250}/ },
  { type: 'google-hmac-key', keywords: ['GOOG1'], pattern: /GOOG1[A-Z0-9]{50,70}/ },
  {
    type: 'firebase-server-key',
    keywords: [':APA91b'],
    lead: { of: /[\w-]/, most: 11 },
    pattern: /AAAA[\w-]{7}:APA91b[\w-]{100,200}/,
  },

  // Microsoft. Its newer keys carry a signature in a fixed place ("identifiable keys").
  {
    type: 'azure-client-secret',
    keywords: ['Q~'],
    lead: { of: /[\w~.]/, most: 4 },
    pattern: /[A-Za-z0-9_~.]{3}[0-9]Q~[\w~.-]{31,34}/,
  },
  {
    type: 'azure-storage-key',
    keywords: ['AccountKey='],
    pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/i,
    accept: (secret) => decodeBase64(secret)?.length === 64,
  },
  {
    type: 'azure-service-key',
    keywords: ['+ASt', 'ACDb', '+ABa', '+AMC', 'AACAC'],
    lead: { of: /[A-Za-z0-9+/]/, most: 76 },
    pattern: /[A-Za-z0-9+/]{76}(?:\+ASt|ACDb|\+ABa|\+AMC|AACA)[A-Za-z0-9+/]{6}==/,
  },
  {
    type: 'azure-shared-access-key',
    keywords: ['SharedAccessKey=', 'SharedSecret=', 'AccessKey='],
    pattern: /(?:Shared)?(?:AccessKey|Secret)=(?<secret>[A-Za-z0-9+/]{43}=)/i,
    glued: true,
  },
  {
    type: 'azure-app-configuration-secret',
    keywords: ['.azconfig.io'],
    pattern: /\.azconfig\.io;Id=[^;\s"]{4,80};Secret=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/i,
    glued: true,
  },
  {
    type: 'azure-sas-signature',
    keywords: ['sig='],
    pattern: /sig=(?<secret>[A-Za-z0-9%+/_-]{43,70}(?:%3D|%3d|=)?)/,
    glued: true,
    accept: (_, { text, start }) => /[?&;]sig=$/.test(text.slice(Math.max(0, start - 5), start)),
  },
  {
    type: 'azure-devops-token',
    keywords: ['AZDO'],
    lead: { of: /[A-Za-z0-9]/, most: 76 },
    pattern: /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}/,
  },
  {
    type: 'azure-function-key',
    keywords: ['AzFu'],
    lead: { of: /[\w-]/, most: 44 },
    pattern: /[\w-]{44}AzFu[\w-]{5}[AQgw](?:==|%3D%3D)/,
  },
  {
    type: 'azure-search-key',
    keywords: ['AzSe'],
    lead: { of: /[A-Za-z0-9]/, most: 42 },
    pattern: /[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}/,
  },
  {
    type: 'azure-ai-key',
    keywords: ['JQQJ99'],
    lead: { of: /[A-Za-z0-9]/, most: 52 },
    pattern: /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,40}/,
  },
  {
    type: 'azure-cache-key',
    keywords: ['AzCa'],
    lead: { of: /[A-Za-z0-9]/, most: 33 },
    pattern: /[A-Za-z0-9]{33}AzCa[A-P][A-Za-z0-9]{5}=/,
  },
  {
    type: 'azure-container-registry-key',
    keywords: ['+ACR'],
    lead: { of: /[A-Za-z0-9+/]/, most: 42 },
    pattern: /[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}/,
  },

  // Others.
  { type: 'alibaba-access-key-id', keywords: ['LTAI'], pattern: /LTAI[A-Za-z0-9]{12,30}/ },
  { type: 'tencent-secret-id', keywords: ['AKID'], pattern: /AKID[A-Za-z0-9]{32}/ },
  { type: 'yandex-api-key', keywords: ['AQVN'], pattern: /AQVN[\w-]{35,38}/ },
  { type: 'yandex-iam-token', keywords: ['t1.'], pattern: /t1\.[\w-]{30,400}={0,2}\.[\w-]{86}={0,2}/ },
  { type: 'yandex-oauth-token', keywords: ['y0_', 'y1_', 'y2_', 'y3_'], pattern: /y[0-3]_[\w-]{50,80}/ },
  { type: 'digitalocean-token', keywords: ['dop_v1_', 'doo_v1_', 'dor_v1_'], pattern: /do[opr]_v1_[a-f0-9]{64}/ },
  { type: 'digitalocean-spaces-key', keywords: ['DO00', 'DO801'], pattern: /DO(?:00|801)[A-Z0-9]{16}/ },
  { type: 'cloudflare-origin-ca-key', keywords: ['v1.0-'], pattern: /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}/ },
  { type: 'cloudflare-api-token', keywords: ['cfut_', 'cfat_', 'cfk_'], pattern: /cf(?:ut|at|k)_[A-Za-z0-9_-]{36,80}/ },
  { type: 'backblaze-application-key', keywords: ['K00'], pattern: /K00[0-9][A-Za-z0-9/+]{27}/, entropy: 3.5 },
  { type: 'heroku-api-key', keywords: ['HRKU-'], pattern: /HRKU-(?:AA)?[\w-]{36,80}/ },
  {
    type: 'heroku-api-key',
    keywords: ['heroku'],
    pattern:
      /heroku[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})/i,
  },
  { type: 'vercel-token', keywords: ['vcp_', 'vck_', 'vci_', 'vca_', 'vcr_'], pattern: /vc[pkiar]_[A-Za-z0-9]{24,80}/ },
  {
    type: 'vercel-blob-token',
    keywords: ['vercel_blob_rw_'],
    pattern: /vercel_blob_rw_[A-Za-z0-9]{10,24}_[A-Za-z0-9]{20,48}/,
  },
  {
    type: 'netlify-token',
    keywords: ['nfp_', 'nfc_', 'nfo_', 'nfb_', 'nfu_'],
    pattern: /nf[pcobu]_[A-Za-z0-9]{36,48}/,
  },
  { type: 'render-api-key', keywords: ['rnd_'], pattern: /rnd_[A-Za-z0-9]{28,40}/ },
  {
    type: 'fly-token',
    keywords: ['fm1r_', 'fm1a_', 'fm2_', 'fm1_'],
    pattern: /fm(?:1[ra]?|2)_[A-Za-z0-9+/_=,-]{60,4000}/,
  },
  { type: 'fly-token', keywords: ['fo1_'], pattern: /fo1_[\w-]{43}/ },
  { type: 'deno-deploy-token', keywords: ['ddp_', 'ddo_', 'ddw_'], pattern: /dd[pow]_[A-Za-z0-9]{36,40}/ },
  { type: 'scalingo-token', keywords: ['tk-us-'], pattern: /tk-us-[\w-]{48}/ },
  { type: 'fly-token', keywords: ['FlyV1 '], pattern: /FlyV1 [A-Za-z0-9+/_=,-]{60,4000}/ },
]
