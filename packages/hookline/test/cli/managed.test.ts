import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadHost, triedHosts } from '../../src/hosts/index.ts'
import { binary, hookline, unmarked } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

/** Agents with a place for the administrator that we have seen work. */
const managed = ['claude', 'codex', 'gemini', 'grok']
const others = triedHosts.filter((name) => !managed.includes(name))

const canMount = spawnSync('unshare', ['-m', 'mount', '--bind', '/etc', '/etc']).status === 0

/**
 * A machine of its own as far as an administrator goes: /etc and /usr/local/lib are copies that nobody else sees. The script
 * runs as root, with a umask that shows nothing to others; `nobody` runs a line as another user.
 */
function asRoot(script: string): string {
  const root = scratch({ 'lib/.keep': '', 'home/.keep': '', 'project/README.md': '' })
  const whole = `set -e
umask 077
cp -a /etc '${root}/etc'
mount --bind '${root}/etc' /etc
mount --bind '${root}/lib' /usr/local/lib
chmod 755 '${root}' '${root}/project' '${root}/lib'
cd '${root}/project'
hookline() { '${process.execPath}' '${binary}' "$@"; }
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent "$@"; }
${script}`
  const env = {
    ...unmarked(process.env),
    HOME: join(root, 'home'),
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    XDG_STATE_HOME: '',
  }
  const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', whole], { env, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

describe.runIf(canMount)('install --managed', () => {
  it('writes root’s files for everybody, proves them, binds other users to the administrator’s policy, and goes without a trace', () => {
    const payload = JSON.stringify({
      session_id: 's',
      cwd: '/',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'make deploy' },
    })
    const shown = asRoot(`
find /etc /usr/local/lib | sort > ../before
mkdir -m 755 /etc/hookline
printf 'version: 1\\nrules:\\n  - deny: { run: make deploy }\\n' > /etc/hookline/hooks.yaml
chmod 644 /etc/hookline/hooks.yaml
hookline install ${managed.join(' ')} --managed --yes --json > ../installed.json
hookline hosts ${managed.join(' ')} --json > ../hosts.json
hookline install codex grok --managed --yes --json | grep -c '"did": "wrote"' > ../twice || true
find /etc/claude-code /etc/codex /etc/gemini-cli /etc/grok /usr/local/lib/hookline ! -user 0 -o -perm /022 ! -type l -o -type f ! -perm -444 > ../open
nobody sh -c 'cat /etc/codex/hooks.json /etc/grok/managed_config.toml >/dev/null && echo readable'
nobody sh -c 'echo x >> /etc/codex/hooks.json' 2>/dev/null && echo WRITABLE
printf '%s' '${payload}' | (cd / && nobody /usr/local/lib/hookline/bin/hookline-hook claude pre_tool_use)
echo
hookline uninstall ${managed.join(' ')} --managed --yes >/dev/null
rm -r /etc/hookline /usr/local/lib/hookline
find /etc /usr/local/lib | sort | diff ../before - && echo as before
cat ../twice ../open ../hosts.json
`)
    const [readable, verdict, same, twice, ...rest] = shown.split('\n')
    expect([readable, same, twice]).toEqual(['readable', 'as before', '0'])
    expect(verdict).toContain('"permissionDecision":"deny"')
    const hosts = JSON.parse(rest.join('\n')) as { name: string; scopes: string[]; status: string }[]
    expect(hosts.map(({ name, scopes, status }) => [name, scopes, status])).toEqual(
      managed.map((name) => [name, ['managed'], 'installed']),
    )
  })

  it('writes nothing where somebody else could take it out again', () => {
    const said = asRoot(`
mkdir /etc/codex
chown 65534 /etc/codex
hookline install codex --managed --yes || echo "exit $?"
ls -A /etc/codex /usr/local/lib
`)
    expect(said).toContain('is not root’s alone')
    expect(said).toContain('exit 1')
    expect(said).not.toContain('hooks.json')
  })
})

describe('an agent without a place for the administrator', () => {
  it('says so, and exits with 1', async () => {
    const home = scratch()
    const { exit, stdout } = await hookline(['install', ...others, '--managed', '--yes', '--json'], '', {
      cwd: home,
      env: { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '' },
    })
    expect(exit).toBe(1)
    const { hosts } = JSON.parse(stdout) as { hosts: { ok: boolean; problems: string[] }[] }
    for (const { ok, problems } of hosts) {
      expect(ok).toBe(false)
      expect(problems.join()).toMatch(/has no place for hooks of an administrator/)
    }
  })
})

describe('the administrator’s file of grok', () => {
  it('is TOML that says what the JSON of users says', async () => {
    const { parse } = await import('smol-toml')
    const { setup } = (await loadHost('grok'))!
    const ours = { entry: '/a b/it’s "here"\\hookline-hook', mark: '/m' }
    const ground = { home: '/h', project: '/p', env: {} }
    const textOf = (scope: 'user' | 'managed') => (setup.files(scope, ground, ours)![0] as { content: string }).content
    expect(parse(textOf('managed'))).toEqual(JSON.parse(textOf('user')))
  })
})
