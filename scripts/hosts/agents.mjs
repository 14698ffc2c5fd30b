import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/**
 * The agents that `npm run test:hosts` runs. Of each: the package with the program, what it reads before a run, how one run is
 * started without a person, and what a model calls to run a command, write a file and start a sub-agent there.
 * `without`: cases that say nothing there. `row`: what of its row holds otherwise; `isSilent`: its model does not learn why a call is refused.
 * Of `place`: home, project, url (of the model), cache (of the programs).
 */
const codex = {
  host: 'codex',
  package: '@openai/codex',
  version: '0.166.0',
  program: 'codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
  install: ['--trust-host'],
  shell: 'exec_command',
  prepare: (place) => codexFiles(place, 'gpt-5.5'),
  args: ({ prompt }) => [
    ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json', prompt],
  ],
  env: () => ({ SCRIPTED_KEY: 'none' }),
  run: (command) => ({ name: 'exec_command', args: { cmd: command } }),
  write: (path, content) => ({ name: 'apply_patch', code: added(path, content) }),
}

const clineEnv = { CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' }
const cline = {
  host: 'cline',
  package: 'cline',
  version: '3.0.65',
  program: 'cline/node_modules/@cline/cli-linux-x64/bin/cline',
  shell: 'run_commands',
  first: ({ url }) => ['auth', '-p', 'openai', '-k', 'none', '-m', 'scripted', '-b', `${url}/v1`],
  args: ({ prompt }) => ['--json', '--auto-approve', 'true', '-P', 'openai', '-m', 'scripted', '-v', prompt],
  env: () => ({ ...clineEnv, CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '60000' }),
  run: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
  write: (path, new_text) => ({ name: 'editor', args: { path, new_text } }),
  // It refuses more itself.
  largest: 6000,
  delegate: (task) => ({ name: 'spawn_agent', args: { task, prompt: task } }),
}

export const agents = {
  claude: {
    host: 'claude',
    package: '@anthropic-ai/claude-code-linux-x64',
    version: '2.1.325',
    program: 'claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude',
    shell: 'Bash',
    prepare: ({ home }) => write(join(home, '.claude.json'), { hasCompletedOnboarding: true }),
    args: ({ prompt }) => ['-p', prompt, '--model', 'claude-sonnet-4-5', '--dangerously-skip-permissions'],
    env: ({ url }) => ({
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    run: (command) => ({ name: 'Bash', args: { command } }),
    write: (file_path, content) => ({ name: 'Write', args: { file_path, content } }),
    delegate: (prompt) => ({
      name: 'Agent',
      args: { prompt, description: 'a part', subagent_type: 'general-purpose', run_in_background: false },
    }),
  },
  codex,
  'codex, code mode': {
    ...codex,
    shell: 'exec',
    prepare: (place) => codexFiles(place, 'gpt-6.1-sol'),
    run: (command) => ({
      name: 'exec',
      code: `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }))`,
    }),
    write: (path, content) => ({
      name: 'exec',
      code: `text(await tools.apply_patch(${JSON.stringify(added(path, content))}))`,
    }),
    delegate: (message) => ({ name: 'spawn_agent', args: { message, task_name: 'a_part', fork_turns: 'none' } }),
    waits: () => ({ name: 'wait_agent', args: {} }),
  },
  copilot: {
    host: 'copilot',
    package: '@github/copilot',
    version: '1.0.102',
    program: 'copilot/node_modules/@github/copilot-linux-x64/copilot',
    shell: 'bash',
    args: ({ prompt }) => ['-p', prompt, '--allow-all-tools', '--allow-all-paths', '--no-auto-update'],
    env: ({ url }) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_TYPE: 'openai', COPILOT_PROVIDER_API_KEY: 'none' },
      ...{ COPILOT_MODEL: 'gpt-5', COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    }),
    run: (command) => ({ name: 'bash', args: { command, description: 'a step' } }),
    write: (path, file_text) => ({ name: 'create', args: { path, file_text } }),
    delegate: (prompt) => ({ name: 'task', args: { prompt, description: 'a part', agent_type: 'general-purpose' } }),
  },
  gemini: {
    host: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    script: 'gemini/node_modules/@google/gemini-cli/bundle/gemini.js',
    shell: 'run_shell_command',
    prepare: ({ home }) =>
      write(join(home, '.gemini/settings.json'), {
        ...{ security: { auth: { selectedType: 'gemini-api-key' } }, general: { disableAutoUpdate: true } },
        ...{ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } },
      }),
    args: ({ prompt }) => ['-p', prompt, '--yolo', '--skip-trust', '-m', 'gemini-2.5-flash'],
    env: ({ url }) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' }),
    run: (command) => ({ name: 'run_shell_command', args: { command } }),
    write: (file_path, content) => ({ name: 'write_file', args: { file_path, content } }),
    delegate: (prompt) => ({ name: 'invoke_agent', args: { agent_name: 'generalist', prompt } }),
  },
  qwen: {
    host: 'qwen',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    script: 'qwen/node_modules/@qwen-code/qwen-code/cli.js',
    shell: 'run_shell_command',
    prepare: ({ home }) =>
      write(join(home, '.qwen/settings.json'), {
        ...{ security: { auth: { selectedType: 'openai' } }, general: { disableAutoUpdate: true } },
        ...{ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } },
      }),
    args: ({ prompt, url }) => [
      ...['-p', prompt, '--yolo', '--auth-type', 'openai', '--model', 'scripted'],
      ...['--openai-base-url', `${url}/v1`, '--openai-api-key', 'none'],
    ],
    env: () => ({ QWEN_CODE_NO_RELAUNCH: '1' }),
    run: (command) => ({ name: 'run_shell_command', args: { command, is_background: false } }),
    write: (file_path, content) => ({ name: 'write_file', args: { file_path, content } }),
    delegate: (prompt) => ({
      name: 'agent',
      args: { prompt, description: 'a part', subagent_type: 'general-purpose' },
    }),
  },
  opencode: {
    host: 'opencode',
    package: 'opencode-linux-x64',
    version: '1.18.34',
    program: 'opencode/node_modules/opencode-linux-x64/bin/opencode',
    // It has files of its own there.
    usesConfigHome: true,
    shell: 'bash',
    prepare: ({ home, url }) =>
      write(join(home, '.config/opencode/opencode.json'), {
        ...{ autoupdate: false, share: 'disabled', model: 'scripted/scripted', small_model: 'scripted/scripted' },
        permission: { edit: 'allow', bash: 'allow', webfetch: 'allow', external_directory: 'allow' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
      }),
    args: ({ prompt }) => ['run', '--format', 'json', prompt],
    env: () => ({
      ...{ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
      ...{ OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', npm_config_fetch_retries: '0' },
      // It installs packages of its own at every start, and waits for them.
      npm_config_registry: 'http://127.0.0.1:9',
    }),
    run: (command) => ({ name: 'bash', args: { command, description: 'a step' } }),
    write: (filePath, content) => ({ name: 'write', args: { filePath, content } }),
    delegate: (prompt) => ({ name: 'task', args: { prompt, description: 'a part', subagent_type: 'general' } }),
  },
  pi: {
    host: 'pi',
    package: '@earendil-works/pi-coding-agent',
    version: '0.74.2',
    script: 'pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js',
    shell: 'bash',
    prepare({ home, url }) {
      const model = { id: 'scripted', contextWindow: 200_000, maxTokens: 8000 }
      const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none', models: [model] }
      write(join(home, '.pi/agent/models.json'), { providers: { scripted: provider } })
      write(join(home, '.pi/agent/settings.json'), { defaultProvider: 'scripted', defaultModel: 'scripted' })
    },
    args: ({ prompt }) => ['-p', '--mode', 'json', '--provider', 'scripted', '--model', 'scripted', prompt],
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
    run: (command) => ({ name: 'bash', args: { command } }),
    write: (path, content) => ({ name: 'write', args: { path, content } }),
  },
  cline,
  /** As on a machine that is too busy for it: what stands in its hooks directory judges, and its refusals end the run. */
  'cline, plugin late': {
    ...cline,
    env: () => ({ ...clineEnv, CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '1' }),
    row: (row) => ({ ...row, rewrites: { ...row.rewrites, result: 'withheld' } }),
    isSilent: true,
    // Where a hook at the prompt has not run, no call does; and the first refusal ends the run.
    without: ['context with the prompt', 'two calls at once, one denied'],
  },
  goose: {
    host: 'goose',
    package: '@aaif/goose-binary-linux-x64',
    version: '1.52.0',
    program: 'goose/node_modules/@aaif/goose-binary-linux-x64/bin/goose',
    // It has files of its own there.
    usesConfigHome: true,
    shell: 'shell',
    prepare: ({ home }) =>
      write(
        join(home, '.config/goose/config.yaml'),
        [
          ...['GOOSE_PROVIDER: openai', 'GOOSE_MODEL: gpt-4o', 'GOOSE_MODE: auto', 'extensions:', '  developer:'],
          ...['    enabled: true', '    type: platform', '    name: developer', '    description: dev'],
          '    bundled: true\n',
        ].join('\n'),
      ),
    args: ({ prompt }) => ['run', '--no-session', '-t', prompt],
    env: ({ url }) => ({
      ...{
        GOOSE_PROVIDER: 'openai',
        GOOSE_MODEL: 'gpt-4o',
        GOOSE_MODE: 'auto',
        OPENAI_HOST: url,
        OPENAI_API_KEY: 'none',
      },
      ...{ GOOSE_DISABLE_KEYRING: '1', GOOSE_TELEMETRY_ENABLED: 'false', GOOSE_DISABLE_SESSION_NAMING: '1' },
    }),
    run: (command) => ({ name: 'shell', args: { command } }),
    write: (path, content) => ({ name: 'write', args: { path, content } }),
    delegate: (instructions) => ({ name: 'delegate', args: { instructions } }),
  },
  grok: {
    host: 'grok',
    package: '@xai-official/grok-linux-x64',
    version: '1.0.41',
    program: 'grok/grok',
    shell: 'run_terminal_command',
    /** The package holds its program compressed. */
    unpack(directory) {
      const packed = readFileSync(join(directory, 'node_modules/@xai-official/grok-linux-x64/bin/grok.br'))
      writeFileSync(join(directory, 'grok'), brotliDecompressSync(packed), { mode: 0o755 })
    },
    prepare: ({ home, url }) =>
      write(
        join(home, '.grok/config.toml'),
        [
          ...['[models]', 'default = "scripted"', '[model.scripted]', 'model = "scripted"', 'name = "Scripted"'],
          ...[`base_url = "${url}/v1"`, 'env_key = "SCRIPTED_KEY"', 'api_backend = "chat_completions"'],
          ...['context_window = 200000', '[telemetry]', 'enabled = false\n'],
        ].join('\n'),
      ),
    args: ({ prompt }) => ['-p', prompt, '-m', 'scripted', '--always-approve', '--output-format', 'streaming-json'],
    env: () => ({
      ...{ SCRIPTED_KEY: 'none', XAI_API_KEY: 'none', GROK_DISABLE_AUTOUPDATER: '1', GROK_AUTO_UPDATE: '0' },
      ...{ GROK_ERROR_REPORTING: '0', GROK_TELEMETRY_ENABLED: '0' },
    }),
    run: (command) => ({ name: 'run_terminal_command', args: { command, description: 'a step' } }),
    write: (file_path, content) => ({ name: 'write', args: { file_path, content } }),
    delegate: (prompt) => ({ name: 'spawn_subagent', args: { prompt, description: 'a part', background: false } }),
  },
}

function codexFiles({ home, project, url }, model) {
  const lines = [
    ...[`model = "${model}"`, 'model_provider = "scripted"', 'check_for_update_on_startup = false'],
    ...['[model_providers.scripted]', 'name = "scripted"', `base_url = "${url}/v1"`, 'wire_api = "responses"'],
    ...['env_key = "SCRIPTED_KEY"', 'request_max_retries = 0', 'stream_max_retries = 0'],
    ...['[analytics]', 'enabled = false', '[feedback]', 'enabled = false'],
    ...['[features]', 'plugins = false', 'remote_plugin = false', 'apps = false', 'plugin_discovery_prefetch = false'],
    ...[`[projects.${JSON.stringify(project)}]`, 'trust_level = "trusted"'],
  ]
  write(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`)
}

const added = (path, content) =>
  [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...content.split('\n').map((line) => `+${line}`),
    '*** End Patch\n',
  ].join('\n')

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}
