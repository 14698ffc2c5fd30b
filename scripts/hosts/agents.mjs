import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The agents that `npm run test:hosts` runs: the package with the program, and how one run of it is started. */
export const agents = {
  claude: {
    package: '@anthropic-ai/claude-code-linux-x64',
    version: '2.1.325',
    prepare: (home) => write(join(home, '.claude.json'), { hasCompletedOnboarding: true }),
    start: (modules, url) => ({
      words: [
        join(modules, '@anthropic-ai/claude-code-linux-x64/claude'),
        ...['-p', 'Run the script.', '--model', 'claude-sonnet-4-5', '--dangerously-skip-permissions'],
      ],
      env: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    prepare(home, url) {
      const lines = [
        ...['model = "gpt-5.5"', 'model_provider = "scripted"', 'check_for_update_on_startup = false'],
        ...['[model_providers.scripted]', 'name = "scripted"', `base_url = "${url}/v1"`, 'wire_api = "responses"'],
        ...['env_key = "SCRIPTED_KEY"', 'request_max_retries = 0', 'stream_max_retries = 0'],
        ...['[analytics]', 'enabled = false', '[features]', 'plugins = false', 'apps = false'],
      ]
      write(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`)
    },
    start: (modules) => ({
      words: [
        join(modules, '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Run the script.'],
      ],
      env: { SCRIPTED_KEY: 'none' },
    }),
    install: ['--trust-host'],
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    prepare: (home) =>
      write(join(home, '.gemini/settings.json'), {
        ...{ security: { auth: { selectedType: 'gemini-api-key' } }, general: { disableAutoUpdate: true } },
        ...{ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } },
      }),
    start: (modules, url) => ({
      words: [
        process.execPath,
        join(modules, '@google/gemini-cli/bundle/gemini.js'),
        ...['-p', 'Run the script.', '--yolo', '--skip-trust', '-m', 'gemini-2.5-flash'],
      ],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' },
    }),
  },
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}
