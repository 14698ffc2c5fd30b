import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../../hookline/test/support/cli.ts'
import { workplace } from './terminal/support.ts'

type Call = Readonly<Record<string, unknown>>

/** One payload of a foreign host, and what its reply holds; `written`: what a file of the project holds afterwards. */
interface Case {
  host?: string
  payload: Call
  reply: unknown
  written?: Readonly<Record<string, RegExp>>
}

/** An example of a system's document: its config and scripts, what they do for foreign hosts, and in our own agent. */
interface Example {
  file: string
  dialect: string
  config: unknown
  scripts?: Readonly<Record<string, string>>
  cases: readonly Case[]
  run?: { prompt: string; options?: readonly string[]; shows: RegExp; written?: Readonly<Record<string, RegExp>> }
}

const pre = (tool_name: string, tool_input: object): Call => ({ hook_event_name: 'PreToolUse', tool_name, tool_input })
const bash = (command: string) => pre('Bash', { command, description: 'd' })
const read = (content: string): Call => ({
  ...{ hook_event_name: 'PostToolUse', tool_name: 'Read', tool_input: { file_path: '/p/a' } },
  tool_response: { type: 'text', file: { filePath: '/p/a', content, numLines: 1, startLine: 1, totalLines: 1 } },
})
const ran = (tool_name: string): Call => ({
  hook_event_name: 'PostToolUse',
  tool_name,
  tool_input: {},
  tool_response: '',
})
const specific = (more: object) => ({ hookSpecificOutput: expect.objectContaining(more) })
const denied = (reason: string) => specific({ permissionDecision: 'deny', permissionDecisionReason: reason })
const allowed = specific({ permissionDecision: 'allow' })

const crush = (...entries: object[]) => ({ hooks: { PreToolUse: entries } })
const dockerAgent = (hooks: object) => ({ agents: { root: { model: 'openai/gpt-4o', instruction: 'Help.', hooks } } })
const everruns = (...hooks: object[]) => ({
  capabilities: [{ ref: 'virtual_bash' }, { ref: 'user_hooks', config: { hooks } }],
})
const inBash = (command: string) => ({ executor: { type: 'bash', command } })

const examples: Record<string, Example> = {
  'Crush: read-only tools are approved': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ matcher: '^(view|ls|grep|glob)$', command: `echo '{"decision":"allow"}'` }),
    cases: [
      { payload: pre('Read', { file_path: '/p/a' }), reply: allowed },
      { payload: pre('LS', { path: '/p' }), reply: allowed },
      { payload: pre('Grep', { pattern: 'x' }), reply: allowed },
      { payload: pre('Glob', { pattern: '*' }), reply: allowed },
      { host: 'qwen', payload: pre('read_file', { file_path: '/p/a' }), reply: allowed },
      { host: 'grok', payload: pre('list_dir', { target_directory: '/p' }), reply: allowed },
      { payload: pre('Write', { file_path: '/p/a', content: '' }), reply: {} },
      { payload: bash('ls'), reply: {} },
    ],
  },
  'Crush: harmless commands are approved': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ matcher: '^bash$', command: 'sh ./safe.sh' }),
    scripts: { 'safe.sh': `case "$CRUSH_TOOL_INPUT_COMMAND" in ls*|cat*|echo*) echo '{"decision":"allow"}' ;; esac\n` },
    cases: [
      { payload: bash('ls -l'), reply: allowed },
      { payload: bash('rm x'), reply: {} },
      { host: 'codex', payload: bash('ls -l'), reply: {} },
    ],
    run: { prompt: 'run echo approved', shows: /approved/ },
  },
  'Crush: a reminder for Go files': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ matcher: '^(edit|write|multiedit)$', command: 'sh ./go.sh' }),
    scripts: {
      'go.sh': `case "$CRUSH_TOOL_INPUT_FILE_PATH" in *.go) echo '{"context": "Format it."}' ;; *) echo '{}' ;; esac\n`,
    },
    cases: [
      {
        payload: pre('Write', { file_path: '/p/a.go', content: '' }),
        reply: specific({ additionalContext: 'Format it.' }),
      },
      {
        payload: pre('Edit', { file_path: '/p/a.go', old_string: 'a', new_string: 'b' }),
        reply: specific({ additionalContext: 'Format it.' }),
      },
      {
        payload: pre('MultiEdit', { file_path: '/p/a.go', edits: [{ old_string: 'a', new_string: 'b' }] }),
        reply: specific({ additionalContext: 'Format it.' }),
      },
      {
        host: 'codex',
        payload: pre('apply_patch', { command: '*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\n' }),
        reply: specific({ additionalContext: 'Format it.' }),
      },
      { payload: pre('Write', { file_path: '/p/a.md', content: '' }), reply: {} },
      { payload: pre('Read', { file_path: '/p/a.go' }), reply: {} },
    ],
  },
  'Crush: no MCP tools': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ matcher: '^mcp_', command: `echo 'MCP tools are off' >&2; exit 2` }),
    cases: [
      { payload: pre('mcp__github__create', {}), reply: denied('MCP tools are off') },
      { host: 'qwen', payload: pre('mcp__github__create', {}), reply: denied('MCP tools are off') },
      { payload: bash('ls'), reply: {} },
    ],
  },
  'Crush: every call is logged by its name there': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ command: 'echo "$CRUSH_TOOL_NAME" >> ./tools.log' }),
    cases: [
      { payload: bash('ls'), reply: {}, written: { 'tools.log': /^bash\n$/ } },
      { payload: pre('Read', { file_path: '/p/a' }), reply: {}, written: { 'tools.log': /\nview\n$/ } },
      { payload: pre('mcp__a__b', {}), reply: {}, written: { 'tools.log': /\nmcp_a_b\n$/ } },
      { payload: pre('Unheard', {}), reply: {}, written: { 'tools.log': /\nUnheard\n$/ } },
    ],
    run: { prompt: 'run echo hi', options: ['--yolo'], shows: /hi/, written: { 'tools.log': /^bash\n$/ } },
  },
  'Crush: a command is rewritten and approved': {
    ...{ file: 'crush.json', dialect: 'crush' },
    config: crush({ matcher: '^bash$', command: 'sh ./rewrite.sh' }),
    scripts: {
      'rewrite.sh': `read -r input
command=$(echo "$input" | jq -r '.tool_input.command' | sed 's/^say/echo/')
cat <<EOF
{
  "decision": "allow",
  "context": "Rewritten",
  "updated_input": {"command": "$command"}
}
EOF
`,
    },
    cases: [
      {
        payload: bash('say a'),
        reply: specific({
          ...{ permissionDecision: 'allow', additionalContext: 'Rewritten' },
          updatedInput: { command: 'echo a', description: 'd' },
        }),
      },
      {
        host: 'codex',
        payload: pre('Bash', { command: 'say a' }),
        reply: specific({ permissionDecision: 'allow', updatedInput: { command: 'echo a' } }),
      },
      {
        host: 'qwen',
        payload: pre('run_shell_command', { command: 'say a' }),
        reply: denied(expect.stringContaining('Run this instead: echo a') as unknown as string),
      },
    ],
    run: { prompt: 'run say rewritten', shows: /It said: rewritten/ },
  },
  'docker-agent: dangerous commands, and an audit log': {
    ...{ file: 'agent.json', dialect: 'docker-agent' },
    config: dockerAgent({
      pre_tool_use: [
        { matcher: 'shell|edit_file', hooks: [{ type: 'command', command: './validate.sh', timeout: 30 }] },
      ],
      post_tool_use: [{ matcher: '*', hooks: [{ type: 'command', command: './log.sh' }] }],
    }),
    scripts: {
      'validate.sh': `#!/bin/sh
input=$(cat)
[ "$(echo "$input" | jq -r .tool_name)" = shell ] || { echo '{}'; exit 0; }
case "$(echo "$input" | jq -r '.tool_input.cmd // empty')" in
  sudo*) echo '{"decision": "block", "reason": "Blocked by policy"}'; exit 2 ;;
esac
echo '{}'
`,
      'log.sh': `#!/bin/sh\njq -r '.session_id + " | " + .tool_name' >> ./audit.log\necho '{"continue": true}'\n`,
    },
    cases: [
      { payload: bash('sudo ls'), reply: denied('Blocked by policy') },
      {
        host: 'grok',
        payload: pre('run_terminal_command', { command: 'sudo ls' }),
        reply: denied('Blocked by policy'),
      },
      { payload: bash('ls'), reply: {} },
      { payload: pre('Edit', { file_path: '/p/a', old_string: 'sudo', new_string: 'b' }), reply: {} },
      { payload: ran('Read'), reply: {}, written: { 'audit.log': /^s \| read_file\n$/ } },
      { payload: ran('mcp__a__b'), reply: {}, written: { 'audit.log': /\ns \| mcp:a:b\n$/ } },
    ],
    run: { prompt: 'run sudo ls', shows: /Blocked by policy/ },
  },
  'docker-agent: answers for the user, and annotations': {
    ...{ file: 'agent.json', dialect: 'docker-agent' },
    config: dockerAgent({
      permission_request: [
        {
          matcher: 'shell',
          hooks: [
            {
              type: 'command',
              command: `case "$(jq -r '.tool_input.cmd // ""')" in
  'echo '*) echo '{"hook_specific_output":{"permission_decision":"allow","permission_decision_reason":"safe"}}' ;;
  rm*) echo '{"hook_specific_output":{"metadata":{"risk":"high"}}}' ;;
esac`,
            },
          ],
        },
      ],
    }),
    cases: [
      {
        payload: { ...bash('echo a'), hook_event_name: 'PermissionRequest' },
        reply: specific({ decision: { behavior: 'allow' } }),
      },
      { payload: { ...bash('rm a'), hook_event_name: 'PermissionRequest' }, reply: {} },
    ],
    run: { prompt: 'run echo granted', shows: /granted/ },
  },
  'docker-agent: a session from start to end': {
    ...{ file: 'agent.json', dialect: 'docker-agent' },
    config: dockerAgent({
      session_start: [
        {
          type: 'command',
          command: `jq -r '"start " + .session_id' >> ./session.log; echo '{"hook_specific_output":{"additional_context":"Ready."}}'`,
        },
      ],
      user_prompt_submit: [{ type: 'command', command: 'echo "Be brief."' }],
      stop: [{ type: 'command', command: `jq -r '"stop " + .stop_response' >> ./session.log` }],
      session_end: [{ type: 'command', command: `jq -r '"end " + .reason' >> ./session.log` }],
    }),
    cases: [
      {
        payload: { hook_event_name: 'SessionStart', source: 'startup' },
        reply: specific({ additionalContext: 'Ready.' }),
        written: { 'session.log': /^start s\n$/ },
      },
      {
        payload: { hook_event_name: 'UserPromptSubmit', prompt: 'hi' },
        reply: specific({ additionalContext: 'Be brief.' }),
      },
      {
        payload: { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Bye.' },
        reply: {},
        written: { 'session.log': /\nstop Bye\.\n$/ },
      },
      {
        host: 'grok',
        payload: { hook_event_name: 'Stop', stopHookActive: false, lastAssistantMessage: 'Later.' },
        reply: {},
        written: { 'session.log': /\nstop Later\.\n$/ },
      },
      {
        payload: { hook_event_name: 'SessionEnd', reason: 'clear' },
        reply: {},
        written: { 'session.log': /\nend clear\n$/ },
      },
    ],
    run: {
      prompt: 'hello',
      shows: /You said: hello/,
      written: { 'session.log': /^start .+\nstop You said: hello\nend \w+\n$/ },
    },
  },
  'Everruns: no pasted key': {
    ...{ file: 'harness.json', dialect: 'everruns' },
    config: everruns({
      ...{ id: 'keys', event: 'user_prompt_submit', on_error: 'block', timeout_ms: 20_000 },
      ...inBash(
        `msg=$(echo "$EVERRUNS_HOOK_PAYLOAD_JSON" | jq -r '.data.message'); if printf '%s' "$msg" | grep -qiE 'BEGIN (RSA|EC) PRIVATE KEY'; then echo '{"decision":"block","reason":"It holds a key","user_message":"Take the key out."}'; else echo '{}'; fi`,
      ),
    }),
    cases: [
      {
        payload: { hook_event_name: 'UserPromptSubmit', prompt: 'see -----BEGIN EC PRIVATE KEY-----' },
        reply: { decision: 'block', reason: 'It holds a key', systemMessage: 'Take the key out.' },
      },
      { payload: { hook_event_name: 'UserPromptSubmit', prompt: 'hello' }, reply: {} },
    ],
    run: { prompt: 'my -----BEGIN EC PRIVATE KEY-----', shows: /Take the key out\./ },
  },
  'Everruns: a note before every prompt': {
    ...{ file: 'harness.json', dialect: 'everruns' },
    config: everruns({
      ...{ id: 'style', event: 'user_prompt_submit', on_error: 'warn', timeout_ms: 20_000 },
      ...inBash(
        `echo "$EVERRUNS_HOOK_PAYLOAD_JSON" | jq -c '{decision:"mutate",patch:{message:("[house style]\\n" + .data.message)}}'`,
      ),
    }),
    cases: [
      {
        payload: { hook_event_name: 'UserPromptSubmit', prompt: 'hello' },
        reply: specific({ additionalContext: '[house style]' }),
      },
    ],
    run: { prompt: 'hello', shows: /You said: \[house style\]\nhello/ },
  },
  'Everruns: what an edit triggers': {
    ...{ file: 'harness.json', dialect: 'everruns' },
    config: everruns({
      ...{ id: 'rust', event: 'post_tool_use', on_error: 'warn', timeout_ms: 20_000 },
      matcher: { tool_name: 'edit_file', args_jsonpath: '$.path', match_regex: '\\.rs$' },
      ...inBash('cargo fmt --check 2>&1 || cargo fmt'),
    }),
    cases: [
      {
        payload: { ...ran('Edit'), tool_input: { file_path: '/p/a.rs', old_string: 'a', new_string: 'b' } },
        reply: { systemMessage: expect.stringContaining('cargo: command not found') },
      },
      {
        payload: { ...ran('Edit'), tool_input: { file_path: '/p/a.md', old_string: 'a', new_string: 'b' } },
        reply: {},
      },
    ],
  },
  'pydantic-deep: arguments are changed': {
    ...{ file: 'hooks.json', dialect: 'pydantic-deep' },
    config: { hooks: [{ event: 'pre_tool_use', matcher: 'execute|write_file', command: 'sh ./args.sh' }] },
    scripts: {
      'args.sh': `jq -c 'if .tool_name == "write_file" then {modified_args: (.tool_input | .path |= gsub("\\\\.\\\\./"; ""))} else {} end'\n`,
    },
    cases: [
      {
        payload: pre('Write', { file_path: '../x', content: 'c' }),
        reply: specific({ updatedInput: { file_path: 'x', content: 'c' } }),
      },
      {
        host: 'grok',
        payload: pre('write', { file_path: '../x', content: 'c' }),
        reply: specific({ updatedInput: { file_path: 'x', content: 'c' } }),
      },
      {
        host: 'qwen',
        payload: pre('write_file', { file_path: '../x', content: 'c' }),
        reply: denied(expect.stringContaining('"file_path":"x"') as unknown as string),
      },
      { payload: bash('cat ../x'), reply: {} },
    ],
  },
  'pydantic-deep: results are redacted': {
    ...{ file: 'hooks.json', dialect: 'pydantic-deep' },
    config: {
      hooks: [
        {
          ...{ event: 'post_tool_use', matcher: 'read_file' },
          command: `jq -c '{modified_result: (.tool_result | gsub("abc123"; "***"))}'`,
        },
      ],
    },
    cases: [
      {
        payload: read('KEY=abc123'),
        reply: specific({
          updatedToolOutput: expect.objectContaining({ file: expect.objectContaining({ content: 'KEY=***' }) }),
        }),
      },
      {
        host: 'grok',
        payload: {
          ...{ hook_event_name: 'PostToolUse', tool_name: 'read_file', tool_input: { target_file: 'a' } },
          tool_response: { type: 'ReadFile', FileContent: { content: '4→KEY=abc123', raw_output: 'KEY=abc123' } },
        },
        reply: specific({
          updatedToolOutput: {
            type: 'ReadFile',
            FileContent: { content: '4→KEY=***', content_concise: 'KEY=***', raw_output: 'KEY=***' },
          },
        }),
      },
    ],
  },
  'Starchild: a claim that is not true is sent back': {
    ...{ file: 'hooks.json', dialect: 'starchild' },
    config: { hooks: [{ event: 'on_stop', command: 'sh {cwd}/stop.sh' }] },
    scripts: {
      'stop.sh': `jq -c 'if (.response | contains("Published")) and (.stop_hook_active | not) then {decision: "block", reason: "Publish it first."} else {} end'\n`,
    },
    cases: [
      {
        payload: { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Published!' },
        reply: { decision: 'block', reason: 'Publish it first.' },
      },
      { payload: { hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'Published!' }, reply: {} },
      {
        host: 'grok',
        payload: { hook_event_name: 'Stop', stopHookActive: false, lastAssistantMessage: 'Published!' },
        reply: { decision: 'block', reason: 'Publish it first.' },
      },
      {
        host: 'grok',
        payload: { hook_event_name: 'Stop', stopHookActive: true, lastAssistantMessage: 'Published!' },
        reply: {},
      },
    ],
    run: { prompt: 'Published it', shows: /You said: Publish it first\./ },
  },
  'Starchild: messages are blocked or rewritten': {
    ...{ file: 'hooks.json', dialect: 'starchild' },
    config: { hooks: [{ event: 'on_user_message', command: 'sh {cwd}/message.sh' }] },
    scripts: {
      'message.sh': `jq -c 'if (.message | contains("seed phrase")) then {decision: "block", reason: "Take it out."} elif (.message | contains("badly")) then {message: "well"} else {} end'\n`,
    },
    cases: [
      {
        payload: { hook_event_name: 'UserPromptSubmit', prompt: 'my seed phrase is' },
        reply: { decision: 'block', reason: 'Take it out.' },
      },
      {
        payload: { hook_event_name: 'UserPromptSubmit', prompt: 'badly' },
        reply: { decision: 'block', reason: expect.stringContaining('Send this instead: well') },
      },
      { payload: { hook_event_name: 'UserPromptSubmit', prompt: 'hello' }, reply: {} },
    ],
    run: { prompt: 'badly', shows: /You said: well/ },
  },
}

describe.each(Object.entries(examples))('%s', (_, { file, dialect, config, scripts = {}, cases, run }) => {
  const place = () => {
    const { cwd, env, run: runAgent } = workplace()
    const written = { ...scripts, [file]: JSON.stringify(config) }
    for (const [name, text] of Object.entries(written))
      writeFileSync(join(cwd, name), text.replaceAll('{cwd}', cwd), { mode: 0o755 })
    return { cwd, env, runAgent, options: ['--config', file, '--config-dialect', dialect, '--trust', 'all'] }
  }
  const expectWritten = (cwd: string, files: Readonly<Record<string, RegExp>> = {}) => {
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), 'utf8')).toMatch(text)
  }

  it('holds for foreign hosts', async () => {
    const { cwd, env, options } = place()
    for (const { host = 'claude-code', payload, reply, written } of cases) {
      const words = ['dispatch', '--dialect', host, '--reply', ...options]
      const input = JSON.stringify({ session_id: 's', cwd, tool_use_id: 't', ...payload })
      const { stdout, exit } = await hookline(words, input, { cwd, env })
      expect([exit, JSON.parse(stdout || '{}')], input).toEqual([0, reply])
      expectWritten(cwd, written)
    }
  })

  if (run === undefined) return
  it('holds in our own agent', async () => {
    const { prompt, options: more = [], shows, written } = run
    const { cwd, runAgent, options } = place()
    const { stdout, stderr } = await runAgent('--print', ...more, ...options, prompt)
    expect(stdout + stderr).toMatch(shows)
    expectWritten(cwd, written)
    expect(existsSync(join(cwd, file))).toBe(true)
  })
})
