import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startModel } from './model.mjs'

/**
 * SDKs whose adapter cannot be tried in `npm test`, because of what they bring along. Of each: the package, and how one case runs in
 * it, with our packages as they are built.
 */
export const sdks = {
  'claude-agent-sdk': {
    host: 'claude-agent-sdk',
    package: '@anthropic-ai/claude-agent-sdk',
    version: '0.3.325',
    run: runClaude,
  },
}

const patience = 120_000

/** One query, which starts Claude Code, against a scripted model. */
async function runClaude({ cache, root }, { rules = [], use = [], on, options, query: given, turns, files = {} }) {
  const load = (path) => import(pathToFileURL(path).href)
  const { query } = await load(join(cache, 'claude-agent-sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'))
  const { createHooks } = await load(join(root, 'packages/hookline/dist/index.js'))
  const { hookline } = await load(join(root, 'packages/adapters/claude-agent-sdk/dist/index.js'))
  const home = mkdtempSync(join(tmpdir(), 'hookline-sdk-'))
  const cwd = mkdtempSync(join(home, 'project-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const model = await startModel(turns, 'Bash')
  const hooks = await createHooks({ rules, use, cwd })
  on?.(hooks)
  const abortController = new AbortController()
  const timer = setTimeout(() => abortController.abort(), patience)
  const begun = Date.now()
  let said = ''
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' },
    ...{ IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  }
  try {
    const guarded = hookline(hooks, { onNote() {}, ...options })
    const asked = {
      ...{ cwd, env, abortController, model: 'claude-sonnet-4-5', settingSources: [], allowedTools: ['Bash', 'Agent'] },
      stderr: (text) => (said += text),
      ...given,
    }
    for await (const message of query({ prompt: 'Do what the scripted test says.', options: guarded.options(asked) }))
      said += `${JSON.stringify(message)}\n`
  } catch (error) {
    said += String(error)
  } finally {
    clearTimeout(timer)
    await hooks.close()
    model.close()
  }
  const isLate = abortController.signal.aborted
  const end = { files: readdirSync(cwd), heard: model.heard(), said, isLate, ms: Date.now() - begun }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  return end
}
