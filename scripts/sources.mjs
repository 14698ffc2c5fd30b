import { fileURLToPath } from 'node:url'

const source = (path) => fileURLToPath(new URL(`../packages/${path}`, import.meta.url))

/** What our packages are called → their sources, for whatever runs from source: tests and the generator. Longest first. */
export const sources = {
  'hookline/compat/pydantic-deep': source('hookline/src/compat/pydantic-deep.ts'),
  'hookline/internal/start': source('hookline/src/internal-start.ts'),
  'hookline/internal/server': source('hookline/src/internal-server.ts'),
  'hookline/internal': source('hookline/src/internal.ts'),
  'hookline/adapter': source('hookline/src/adapter.ts'),
  'hookline/edge': source('hookline/src/edge.ts'),
  'hookline/guards': source('hookline/src/guards.ts'),
  '@hookline/sandbox': source('sandbox/src/index.ts'),
  '@hookline/agent': source('agent/src/index.ts'),
  '@hookline/server/client': source('server/src/client.ts'),
  '@hookline/server': source('server/src/index.ts'),
  '@hookline/acp': source('adapters/acp/src/index.ts'),
  '@hookline/mcp': source('adapters/mcp/src/index.ts'),
  '@hookline/ai-sdk': source('adapters/ai-sdk/src/index.ts'),
  '@hookline/openai-agents': source('adapters/openai-agents/src/index.ts'),
  '@hookline/langchain': source('adapters/langchain/src/index.ts'),
  '@hookline/claude-agent-sdk': source('adapters/claude-agent-sdk/src/index.ts'),
  hookline: source('hookline/src/index.ts'),
}
