import { entropy } from '../checks/entropy.ts'
import type { Rule } from '../rule.ts'

const hasDigit = (secret: string): boolean => /[0-9]/.test(secret.slice(3))

export const llm: readonly Rule[] = [
  // The infix is base64 of "OpenAI"; it survived every change of the format.
  {
    type: 'openai-api-key',
    keywords: ['T3BlbkFJ'],
    lead: { of: /[\w-]/, most: 96 },
    pattern: /sk-[\w-]{20,93}T3BlbkFJ[\w-]{20,200}/,
  },
  {
    type: 'openai-api-key',
    keywords: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-service-'],
    pattern: /sk-(?:proj|svcacct|admin|None|service)-[\w-]{20,300}/,
    glued: true,
    accept: hasDigit,
  },
  {
    type: 'anthropic-api-key',
    keywords: ['sk-ant-'],
    pattern: /sk-ant-(?:[a-z]{2,8}\d{2}-)?[\w-]{16,300}/,
    glued: true,
    // Nothing else begins like this: a key that was cut off, or is of a length to come, is one too.
    accept: (secret) => hasDigit(secret) && (secret.length >= 39 || entropy(secret) >= 3.5),
  },
  { type: 'openrouter-api-key', keywords: ['sk-or-'], pattern: /sk-or-(?:v\d-)?[0-9a-f]{48,80}/, glued: true },
  { type: 'langfuse-secret-key', keywords: ['sk-lf-'], pattern: /sk-lf-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/ },
  { type: 'helicone-api-key', keywords: ['sk-helicone-'], pattern: /sk-helicone-[a-z0-9-]{20,64}/, accept: hasDigit },
  // DeepSeek, Moonshot, DashScope, SiliconFlow, Stability and the older OpenAI keys look the same.
  {
    type: 'llm-api-key',
    keywords: ['sk-'],
    pattern: /sk-[A-Za-z0-9]{20,128}/,
    accept: (secret) => hasDigit(secret) && entropy(secret) >= 3.2,
  },
  { type: 'openai-session-token', keywords: ['sess-'], pattern: /sess-[A-Za-z0-9]{40}/ },
  { type: 'groq-api-key', keywords: ['gsk_'], pattern: /gsk_[A-Za-z0-9]{40,64}/ },
  { type: 'xai-api-key', keywords: ['xai-'], pattern: /xai-[A-Za-z0-9]{64,100}/ },
  { type: 'perplexity-api-key', keywords: ['pplx-'], pattern: /pplx-[A-Za-z0-9]{40,64}/ },
  {
    type: 'huggingface-token',
    keywords: ['hf_'],
    pattern: /hf_[A-Za-z0-9]{30,64}/,
    accept: (secret) => entropy(secret) >= 3.5,
  },
  { type: 'huggingface-token', keywords: ['api_org_'], pattern: /api_org_[A-Za-z0-9]{30,64}/ },
  { type: 'replicate-token', keywords: ['r8_'], pattern: /r8_[A-Za-z0-9]{36,42}/ },
  { type: 'nvidia-api-key', keywords: ['nvapi-'], pattern: /nvapi-[\w-]{60,80}/ },
  { type: 'langsmith-api-key', keywords: ['lsv2_'], pattern: /lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/ },
  { type: 'langsmith-api-key', keywords: ['ls__'], pattern: /ls__[0-9a-f]{32}/ },
  { type: 'pinecone-api-key', keywords: ['pcsk_'], pattern: /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}/ },
  { type: 'fireworks-api-key', keywords: ['fw_'], pattern: /fw_[A-Za-z0-9]{22,48}/, accept: hasDigit },
  { type: 'together-api-key', keywords: ['tgp_v1_'], pattern: /tgp_v1_[\w-]{40,64}/ },
  { type: 'cerebras-api-key', keywords: ['csk-'], pattern: /csk-[a-z0-9]{40,64}/ },
  { type: 'elevenlabs-api-key', keywords: ['sk_'], pattern: /sk_[a-f0-9]{48}/ },
  {
    type: 'voyage-api-key',
    keywords: ['pa-', 'al-'],
    pattern: /(?:pa|al)-[\w-]{40,48}/,
    entropy: 4,
    accept: (secret) => /\d.*[A-Z]|[A-Z].*\d/.test(secret.slice(3)),
  },
  { type: 'jina-api-key', keywords: ['jina_'], pattern: /jina_[a-f0-9]{32}[\w-]{20,48}/ },
  { type: 'tavily-api-key', keywords: ['tvly-'], pattern: /tvly-(?:dev-|prod-)?[A-Za-z0-9-]{28,64}/, accept: hasDigit },
  {
    type: 'brave-search-api-key',
    keywords: ['BSA'],
    pattern: /BSA[A-Za-z0-9_-]{24,32}/,
    entropy: 3.6,
    accept: hasDigit,
  },
  { type: 'firecrawl-api-key', keywords: ['fc-'], pattern: /fc-[a-f0-9]{32}/ },
  { type: 'anyscale-api-key', keywords: ['esecret_', 'aph0_'], pattern: /(?:esecret|aph0)_[A-Za-z0-9]{20,80}/ },
  { type: 'wandb-api-key', keywords: ['wandb_v1_'], pattern: /wandb_v1_[\w-]{40,120}/ },
  {
    type: 'wandb-api-key',
    keywords: ['wandb'],
    pattern: /wandb[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{40})/i,
  },
  { type: 'friendli-token', keywords: ['flp_'], pattern: /flp_[A-Za-z0-9]{40,64}/ },
  {
    type: 'modal-token',
    keywords: ['ak-', 'as-'],
    pattern: /a[ks]-[A-Za-z0-9]{22}/,
    entropy: 3.7,
    accept: (secret) => /[0-9]/.test(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret),
  },
  { type: 'runpod-api-key', keywords: ['rpa_'], pattern: /rpa_[A-Z0-9]{40}[a-z0-9]{4,8}/ },
  { type: 'e2b-api-key', keywords: ['e2b_', 'sk_e2b_'], pattern: /(?:sk_)?e2b_[a-f0-9]{40}/ },
  { type: 'browserbase-api-key', keywords: ['bb_live_', 'bb_test_'], pattern: /bb_(?:live|test)_[\w-]{20,48}/ },
  { type: 'browser-use-api-key', keywords: ['bu_'], pattern: /bu_[\w-]{40,48}/ },
  {
    type: 'dify-api-key',
    keywords: ['app-', 'dataset-'],
    pattern: /(?:app|dataset)-[A-Za-z0-9]{24}/,
    entropy: 3.7,
    accept: (secret) => /[0-9]/.test(secret) && /[a-z][A-Z]|[A-Z][a-z]/.test(secret),
  },
  { type: 'mem0-api-key', keywords: ['m0-'], pattern: /m0-[A-Za-z0-9]{38,44}/ },
  { type: 'cursor-api-key', keywords: ['crsr_'], pattern: /crsr_[a-f0-9]{60,70}/ },
  { type: 'cursor-api-key', keywords: ['key_'], pattern: /key_[a-f0-9]{60,70}/ },
  { type: 'braintrust-api-key', keywords: ['sk-bt-', 'bt-st-'], pattern: /(?:sk-bt|bt-st)-[A-Za-z0-9]{32,64}/ },
  {
    type: 'zhipu-api-key',
    keywords: ['zhipu', 'glm', 'bigmodel'],
    pattern:
      /(?:zhipu|glm|bigmodel)[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{32}\.[A-Za-z0-9]{16})/i,
  },
  { type: 'letta-api-key', keywords: ['sk-let-'], pattern: /sk-let-[A-Za-z0-9+/=]{60,160}/ },
  {
    type: 'cohere-api-key',
    keywords: ['cohere', 'CO_API_KEY'],
    pattern: /(?:cohere|CO_API_KEY)[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[A-Za-z0-9]{40})/i,
  },
  {
    type: 'mistral-api-key',
    keywords: ['mistral'],
    pattern: /mistral[\w .-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[A-Za-z0-9]{32})/i,
    accept: hasDigit,
  },
]
