import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { triedHosts } from '../../src/hosts/index.ts'
import { entryScript } from '../../src/install/engine.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

/** A person with nothing but these files, in a project with nothing. */
function person(files: Readonly<Record<string, string>> = {}) {
  const home = scratch({ ...files, 'project/README.md': '' })
  const cwd = join(home, 'project')
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    XDG_STATE_HOME: '',
    PATH: dirname(process.execPath),
  }
  const run = (...args: string[]) => hookline(args, '', { cwd, env })
  const at = (path: string) => join(home, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')
  /** Every file below the home but those of Hookline itself. */
  const all = () =>
    execFileSync('find', [home, '(', '-type', 'f', '-o', '-type', 'd', ')', '-not', '-path', '*/.local*'], {
      encoding: 'utf8',
    })
      .split('\n')
      .sort()
      .map((path) => (path !== '' && statSync(path).isFile() ? `${path}\n${readFileSync(path, 'latin1')}` : path))
  /** Runs what an agent would run. */
  const line = (command: string, payload: object, more: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      ...{
        cwd,
        env: { ...env, PATH: `${env.PATH}:/usr/bin:/bin`, ...more },
        input: JSON.stringify(payload),
        encoding: 'utf8',
      },
    })
    return { exit: status, stdout, stderr }
  }
  return { home, cwd, run, at, read, all, line }
}

/** While the daemon runs it judges, whatever became of its files. */
async function endDaemon(run: ReturnType<typeof person>['run']): Promise<void> {
  process.kill(JSON.parse((await run('daemon', 'status', '--json')).stdout).pid, 'SIGKILL')
}

const settings = '.claude/settings.json'
const claudeLine = (text: string, event: string): string => JSON.parse(text).hooks[event].at(-1).hooks[0].command
const call = {
  session_id: 's',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 't',
  permission_mode: 'default',
}
const canary = { ...call, tool_input: { command: 'hookline-canary' } }
const shared: Record<string, string> = {
  claude: settings,
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
}

describe('every agent', () => {
  it('is installed once, proved by a canary, listed with its last event, and gone again without a trace', async () => {
    const theirs = Object.values(shared).map((file) => [file, '{\n    "theme": "dark",\n    "hooks": {}\n}\n'])
    const rules = 'version: 1\nrules:\n  - deny: { run: make deploy }\n'
    const { run, all, read, line } = person({ ...Object.fromEntries(theirs), 'project/hookline.yaml': rules })
    const list = async () => JSON.parse((await run('hosts', ...triedHosts, '--json')).stdout)
    const before = all()
    const first = await run('install', ...triedHosts, '--user', '--yes', '--json')
    expect(first.exit, first.stdout + first.stderr).toBe(0)
    const installed = all()
    expect(JSON.parse(first.stdout).hosts).toMatchObject(
      triedHosts.map((name) => ({ name, installed: true, canary: true })),
    )
    const second = await run('install', ...triedHosts, '--user', '--yes')
    expect([second.exit, all()]).toEqual([0, installed])
    expect(await list()).toMatchObject(
      triedHosts.map((name) => ({
        ...{ name, installed: true, status: name === 'codex' ? 'untrusted' : 'installed' },
        ...{ loaded_by: 'us', last_event: null },
      })),
    )
    line(claudeLine(read(settings), 'PreToolUse'), { ...call, tool_input: { command: 'make deploy' } })
    await expect
      .poll(async () => (await list())[0], { timeout: 60_000 })
      .toMatchObject({ name: 'claude', loaded_by: 'host', last_event: { event: 'pre_tool_use', outcome: 'deny' } })
    const gone = await run('uninstall', ...triedHosts, '--user', '--yes')
    expect([gone.exit, all()]).toEqual([0, before])
    for (const each of await list()) expect(each).toMatchObject({ installed: false, status: 'not-installed' })
  })
})

describe('files of others', () => {
  it.each(Object.entries(shared))('%s: own hooks, order and line ends stay', async (host, file) => {
    const event = host === 'gemini' ? 'BeforeTool' : 'PreToolUse'
    const mine = `{\r\n\t"z": 1,\r\n\t"hooks": { "${event}": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ], "a": [] },\r\n\t"b": [1,2]\r\n}`
    const { run, read } = person({ [file]: mine })
    expect((await run('install', host, '--yes')).exit).toBe(0)
    const { hooks, ...rest } = JSON.parse(read(file))
    expect([rest, Object.keys(JSON.parse(read(file)))]).toEqual([{ z: 1, b: [1, 2] }, ['z', 'hooks', 'b']])
    expect(hooks[event][0].hooks[0].command).toBe('mine')
    expect(hooks[event]).toHaveLength(2)
    expect(read(file).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    await run('uninstall', host, '--yes')
    expect(read(file)).toBe(mine)
  })

  it('comments stay where the agent takes them', async () => {
    const mine = '// mine\n{\n  // "hooks": {},\n  "a": 1 // last\n  /* end */\n}\n'
    const { run, read } = person({ '.gemini/settings.json': mine })
    expect((await run('install', 'gemini', '--yes')).exit).toBe(0)
    expect(read('.gemini/settings.json')).toMatch(/^\/\/ mine\n[\s\S]*"hookline"[\s\S]*\/\* end \*\/\n}\n$/)
    await run('uninstall', 'gemini', '--yes')
    expect(read('.gemini/settings.json')).toBe(mine)
  })

  it.each([
    ['claude', settings, '{ "a": 1, // x\n}'],
    ['claude', settings, '{ "a": 1, }'],
    ['claude', settings, '{ "hooks": [] }'],
    ['claude', settings, '{ "hooks": { "Stop": {} } }'],
    ['codex', '.codex/hooks.json', '{ "hooks": {'],
    ['codex', '.codex/hooks.json', '\uFEFF{}'],
    ['gemini', '.gemini/settings.json', '{ "a": 1, }'],
  ])('%s: %s is left alone when its agent cannot read it: %s', async (host, file, text) => {
    const { run, read } = person({ [file]: text })
    const { exit, stdout } = await run('install', host, '--yes')
    expect(exit).toBe(1)
    expect(stdout).toContain(file)
    expect(read(file)).toBe(text)
  })

  it('what is no text is left alone', async () => {
    const { run, at } = person({ [settings]: '{}' })
    writeFileSync(at(settings), Buffer.from([0x7b, 0xff, 0x7d]))
    const { exit, stdout } = await run('install', 'claude', '--yes')
    expect([exit, readFileSync(at(settings)).length]).toEqual([1, 3])
    expect(stdout).toContain('UTF-8')
  })

  it('links stay links, other names stay names of one file, and modes stay', async () => {
    const { run, at, read } = person({ 'dotfiles/settings.json': '{}\n', '.qwen/settings.json': '{}\n' })
    chmodSync(at('dotfiles/settings.json'), 0o600)
    mkdirSync(at('.claude'))
    symlinkSync('../dotfiles/settings.json', at(settings))
    linkSync(at('.qwen/settings.json'), at('.qwen/other.json'))
    expect((await run('install', 'claude', 'qwen', '--yes')).exit).toBe(0)
    expect(readlinkSync(at(settings))).toBe('../dotfiles/settings.json')
    expect(statSync(at('dotfiles/settings.json')).mode & 0o777).toBe(0o600)
    expect(read('.qwen/other.json')).toBe(read('.qwen/settings.json'))
    await run('uninstall', 'claude', 'qwen', '--yes')
    expect([
      read('dotfiles/settings.json'),
      read('.qwen/other.json'),
      lstatSync(at(settings)).isSymbolicLink(),
    ]).toEqual(['{}\n', '{}\n', true])
  })

  it('a byte-order mark stays', async () => {
    const { run, read } = person({ [settings]: '\uFEFF{ "a": 1 }' })
    expect((await run('install', 'claude', '--yes')).exit).toBe(0)
    expect(read(settings)).toMatch(/^\uFEFF\{ "a": 1,\s*"hooks"/)
    await run('uninstall', 'claude', '--yes')
    expect(read(settings)).toBe('\uFEFF{ "a": 1 }')
  })

  it('what was changed elsewhere since stays, and so does what the agent wrote anew', async () => {
    const { run, read, at } = person({ [settings]: '{\n  "theme": "dark",\n  "model": "x"\n}\n' })
    await run('install', 'claude', '--yes')
    writeFileSync(
      at(settings),
      read(settings).replace('"dark"', '"light"').replace('"model": "x"', '"model": "x",\n  "more": true'),
    )
    await run('uninstall', 'claude', '--yes')
    expect(read(settings)).toBe('{\n  "theme": "light",\n  "model": "x",\n  "more": true\n}\n')
    await run('install', 'claude', '--yes')
    writeFileSync(at(settings), JSON.stringify({ ...JSON.parse(read(settings)), anew: 1 }))
    expect((await run('install', 'claude', '--yes')).stdout).toContain('installed already')
    await run('uninstall', 'claude', '--yes')
    expect(JSON.parse(read(settings))).toEqual({ theme: 'light', model: 'x', more: true, anew: 1 })
  })

  it('a file of the same name that is not ours is left alone', async () => {
    const { run, read } = person({ '.copilot/hooks/hookline.json': '{"version":1}' })
    expect((await run('install', 'copilot', '--yes')).exit).toBe(1)
    expect((await run('uninstall', 'copilot', '--yes')).exit).toBe(0)
    expect(read('.copilot/hooks/hookline.json')).toBe('{"version":1}')
  })

  it('hosts says when a file becomes unreadable later, and when hooks are switched off', async () => {
    const { run, read, at } = person({ [settings]: '{}\n' })
    const status = async () => JSON.parse((await run('hosts', 'claude', '--json')).stdout)[0].status
    await run('install', 'claude', '--yes')
    const good = read(settings)
    writeFileSync(at(settings), `// oops\n${good}`)
    expect(await status()).toBe('unreadable')
    writeFileSync(at(settings), good.replace('{', '{ "disableAllHooks": true,'))
    expect(await status()).toBe('switched-off')
    writeFileSync(at(settings), good)
    // A file without anything of ours does it, too.
    const local = at('project/.claude/settings.local.json')
    mkdirSync(dirname(local), { recursive: true })
    writeFileSync(local, '{ "disableAllHooks": true }')
    expect(await status()).toBe('switched-off')
    rmSync(local)
    writeFileSync(at(settings), good.replace('"timeout": 60', '"timeout": 1'))
    expect(await status()).toBe('outdated')
    expect((await run('install', 'claude', '--yes')).exit).toBe(0)
    expect(await status()).toBe('installed')
  })
})

describe('scopes', () => {
  it('a project has files of its own', async () => {
    const { run, cwd, all } = person()
    const before = all()
    expect((await run('install', 'claude', '--project', '--yes')).exit).toBe(0)
    expect(existsSync(join(cwd, settings))).toBe(true)
    await run('uninstall', 'claude', '--project', '--yes')
    expect(all()).toEqual(before)
  })

  it('an agent without a place for them says so, and nothing is written', async () => {
    const { run, all } = person()
    const before = all()
    const { exit, stdout } = await run('install', 'goose', '--project', '--yes')
    expect([exit, all()]).toEqual([1, before])
    expect(stdout).toContain('--user')
  })

  it('names that nobody knows are wrong usage', async () => {
    const { run } = person()
    const { exit, stderr } = await run('install', 'claud', '--yes')
    expect(exit).toBe(64)
    expect(stderr).toContain('claude')
    expect((await run('install')).exit).toBe(64)
    expect((await run('install', 'claude', '--user', '--project')).exit).toBe(64)
  })
})

describe('trust of Codex', () => {
  it('is written only when the user says so, beside what is there, and goes again', async () => {
    const mine = 'model = "x" # mine\n\n[hooks]\n# none'
    const { run, read } = person({ '.codex/config.toml': mine })
    await run('install', 'codex', '--yes')
    expect(read('.codex/config.toml')).toBe(mine)
    expect((await run('install', 'codex', '--yes', '--trust-host')).exit).toBe(0)
    expect(read('.codex/config.toml')).toMatch(
      /^model = "x" # mine\n\n\[hooks\]\n# none\n# hookline: begin[\s\S]*hooks\.json:pre_tool_use:0:0"\]\ntrusted_hash = "sha256:[0-9a-f]{64}"/,
    )
    const [status] = JSON.parse((await run('hosts', 'codex', '--json')).stdout)
    expect(status).toMatchObject({ status: 'installed', trusted: true })
    await run('uninstall', 'codex', '--yes')
    expect(read('.codex/config.toml')).toBe(mine)
  })
})

describe('the line that an agent runs', () => {
  it('answers without any hooks, refuses the canary, and is one JSON object', async () => {
    const { run, read, line } = person()
    await run('install', 'claude', '--yes')
    const pre = claudeLine(read(settings), 'PreToolUse')
    expect(line(pre, call)).toMatchObject({ exit: 0, stdout: '{}' })
    expect(JSON.parse(line(pre, canary).stdout).hookSpecificOutput.permissionDecision).toBe('deny')
  })

  it.each([
    ['is gone', (entry: string) => rmSync(entry)],
    ['cannot be executed', (entry: string) => chmodSync(entry, 0o644)],
    ['crashes', (entry: string) => writeFileSync(entry, '#!/bin/sh\nexit 1\n')],
    ['is killed', (entry: string) => writeFileSync(entry, '#!/bin/sh\nkill -9 $$\n')],
    ['has no engine', (entry: string) => rmSync(join(dirname(entry), '../engine'), { recursive: true })],
  ])('refuses with a reason when the entry %s, and lets an agent stop', async (_how, breakIt) => {
    const { run, read, line, at } = person()
    await run('install', 'claude', '--yes')
    const text = read(settings)
    await endDaemon(run)
    breakIt(at('.local/share/hookline/bin/hookline-hook'))
    const refused = line(claudeLine(text, 'PreToolUse'), call)
    const isRefused =
      refused.exit === 2 ? refused.stdout === '' : refused.stdout.includes('"permissionDecision":"deny"')
    expect(isRefused, JSON.stringify(refused)).toBe(true)
    expect(refused.stderr).toContain('npx hookline install claude')
    const stopped = line(claudeLine(text, 'Stop'), call)
    expect(stopped.exit).toBe(0)
    expect(stopped.stdout).not.toContain('block')
    expect(stopped.stderr).toMatch(/Hookline (?:did not run at stop|cannot run)/)
    expect(JSON.parse((await run('hosts', 'claude', '--json')).stdout)[0].installed).toBeTypeOf('boolean')
  })

  it('refuses when the entry is empty, or prints anything but one JSON object', async () => {
    const { run, read, line, at } = person()
    await run('install', 'claude', '--yes')
    const pre = claudeLine(read(settings), 'PreToolUse')
    const entry = at('.local/share/hookline/bin/hookline-hook')
    for (const script of ['', '#!/bin/sh\necho fine\n', "#!/bin/sh\necho checking; echo '{}'\n"]) {
      writeFileSync(entry, script)
      expect(line(pre, call), script).toMatchObject({ exit: 2, stdout: '' })
    }
  })

  it('goes on when the package is removed or Node moves, and says how to repair it when there is no Node', async () => {
    const { run, read, line, at } = person()
    await run('install', 'claude', '--yes')
    const entry = at('.local/share/hookline/bin/hookline-hook')
    expect(readFileSync(entry, 'utf8')).not.toContain(join(import.meta.dirname, '../..'))
    const pre = claudeLine(read(settings), 'PreToolUse')
    const table = readFileSync(`${entry}.table`, 'utf8')
    writeFileSync(
      `${entry}.table`,
      table.replace(/^node .*$/m, 'node /nowhere/node').replace(/^socket .*$/m, 'socket '),
    )
    expect(line(pre, call)).toMatchObject({ exit: 0, stdout: '{}' })
    const without = line(`PATH=/nowhere; ${pre}`, call)
    expect(without.stdout).toMatch(/"deny".*Node was .*npx hookline install claude/)
    // Where there is no binary for the machine, a script does the same.
    writeFileSync(entry, entryScript('/nowhere/node', /^program (.*)$/m.exec(table)![1]!))
    expect(line(pre, call)).toMatchObject({ exit: 0, stdout: '{}' })
    const scripted = line(`PATH=/nowhere; ${pre}`, call)
    expect(scripted.exit).toBe(2)
    expect(scripted.stderr).toMatch(/Node was at \/nowhere\/node[\s\S]*npx hookline install claude/)
  })

  it.each(['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'HOOKLINE_DATA_DIR'])(
    'finds the rules of its user when %s leads the agent elsewhere',
    async (variable) => {
      const rules = 'version: 1\nrules:\n  - deny: { run: ls }\n    because: REASON-OF-THE-RULE\n'
      const { run, read, line, at } = person({ '.config/hookline/hooks.yaml': rules })
      await run('install', 'claude', '--yes')
      const said = line(claudeLine(read(settings), 'PreToolUse'), call, { [variable]: at('elsewhere') })
      expect(said.stdout).toMatch(/"permissionDecision":"deny".*hooks\.yaml:2/)
    },
  )

  it('refuses what waits when the config is broken', async () => {
    const { run, read, line } = person({ '.config/hookline/hooks.yaml': 'version: [' })
    await run('install', 'claude', '--yes')
    const { exit, stdout } = line(claudeLine(read(settings), 'PreToolUse'), call)
    expect([exit, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([0, 'deny'])
  })

  it('leaves a call of an agent that reads the files of another to the entry of its own', async () => {
    const { run, read, line } = person()
    await run('install', 'claude', '--yes')
    const pre = claudeLine(read(settings), 'PreToolUse')
    const groks = {
      ...canary,
      tool_name: 'run_terminal_command',
      hook_event_name: 'PreToolUse',
      hookEventName: 'pre_tool_use',
      workspaceRoot: '/',
    }
    expect(JSON.parse(line(pre, groks).stdout).hookSpecificOutput.permissionDecision).toBe('deny')
    await run('install', 'grok', '--yes')
    expect(line(pre, groks)).toMatchObject({ exit: 0, stdout: '{}' })
  })
})

describe('doctor --host', () => {
  it('proves the installed line, and fails where it does not refuse', async () => {
    const { run, at } = person()
    expect((await run('doctor', '--host', 'gemini')).exit).toBe(1)
    await run('install', 'gemini', '--yes')
    expect((await run('doctor', '--host', 'gemini')).exit).toBe(0)
    await endDaemon(run)
    renameSync(at('.local/share/hookline/engine'), at('.local/share/hookline/moved'))
    const { exit, stdout } = await run('doctor', '--host', 'gemini', '--json')
    expect([exit, JSON.parse(stdout).hosts[0].canary]).toEqual([1, false])
  })
})
