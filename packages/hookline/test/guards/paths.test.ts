import { describe, expect, test } from 'vitest'
import { checkPath, type PathQuestion, sensitivePlaces } from '../../src/guards/paths/index.ts'
import fc from '../support/property.ts'
import { soon } from '../support/soon.ts'

const home = '/home/ada'
const cwd = '/home/ada/work'

const verdictOn = (path: string, access: 'read' | 'write' = 'read', more: Partial<PathQuestion> = {}) =>
  checkPath({ path, access, cwd, home, ...more }).verdict

describe('a place with secrets is sensitive to read and to write', () => {
  test.each([
    '~/.ssh/id_ed25519',
    '~/.ssh',
    '~/.ssh/config',
    '~/.gnupg/private-keys-v1.d/x.key',
    '~/.aws/credentials',
    '~/.aws/config',
    '~/.config/gcloud/application_default_credentials.json',
    '~/.azure/msal_token_cache.json',
    '~/.kube/config',
    '~/.docker/config.json',
    '~/.npmrc',
    '.npmrc',
    '~/.pypirc',
    '~/.netrc',
    '~/.git-credentials',
    '~/.cargo/credentials.toml',
    '~/.vault-token',
    '.env',
    '.env.local',
    'packages/api/.env.production',
    'prod.env',
    '.envrc',
    'infra/terraform.tfstate',
    'deploy.pem',
    'tls/server.key',
    'tls/cert-key.pem',
    '~/.bash_history',
    '~/.local/share/fish/fish_history',
    '~/.mozilla/firefox/x.default/logins.json',
    '~/Library/Keychains/login.keychain-db',
    '~/.password-store/bank.gpg',
    '~/secrets.kdbx',
    '~/.bitcoin/wallet.dat',
    '~/.config/solana/id.json',
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/sudoers.d/90-ada',
    '/proc/self/environ',
    '/proc/1/environ',
    '/proc/77/task/78/environ',
    '/proc/self/fd/3',
    '/dev/fd/63',
    '/dev/sda',
    '/dev/mem',
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
    '/var/run/docker.sock',
    'C:\\Users\\Ada\\.ssh\\id_rsa',
    'C:/Users/Ada/AppData/Roaming/gcloud/credentials.db',
    '~/.claude/.credentials.json',
    '~/.codex/auth.json',
  ])('%s', (path) => {
    expect(verdictOn(path, 'read')).toBe('sensitive')
    expect(verdictOn(path, 'write')).toBe('sensitive')
  })
})

describe('a place that is run or obeyed later is sensitive to write only', () => {
  test.each([
    '~/.bashrc',
    '~/.zshenv',
    '~/.bash_login',
    '~/.profile',
    '~/.config/fish/config.fish',
    '~/.vimrc',
    '/etc/passwd',
    '/etc/hosts',
    '/etc/profile',
    '/etc/ld.so.preload',
    '/etc/cron.d/job',
    '/var/spool/cron/crontabs/ada',
    '~/.config/systemd/user/a.service',
    '/usr/lib/systemd/system/a.service',
    '~/Library/LaunchAgents/a.plist',
    '~/.config/autostart/a.desktop',
    '.git/hooks/pre-commit',
    '.git/config',
    '~/.gitconfig',
    '/usr/local/bin/ls',
    '/boot/vmlinuz',
    '/sys/power/state',
    '/proc/sys/kernel/core_pattern',
    'C:\\Windows\\System32\\drivers\\etc\\hosts',
    'hookline.yaml',
    '.hookline/hooks.yaml',
    '~/.config/hookline/hooks.yaml',
    '~/.local/state/hookline/approvals/x',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/hooks/guard.sh',
    '.claude/agents/a.md',
    '.crush.json',
    '.gemini/settings.json',
    '~/.codex/config.toml',
    '.cursor/mcp.json',
    '.github/hooks/a.json',
    '.opencode/plugin/a.ts',
    '.mcp.json',
    '.vscode/settings.json',
    '.claude/worktrees/fix/.claude/settings.json',
    '.codex/x/.claude/plans/a.md',
  ])('%s', (path) => {
    expect(verdictOn(path, 'read')).toBe('ordinary')
    expect(verdictOn(path, 'write')).toBe('sensitive')
  })
})

describe('an ordinary path stays ordinary', () => {
  test.each([
    'src/index.ts',
    './README.md',
    '/home/ada/work/a b/c.txt',
    '.env.example',
    '.env.sample',
    'deploy/.env.template',
    '.env.production.example',
    'example.env',
    'environment.ts',
    'src/env.ts',
    '.gitignore',
    '.github/workflows/ci.yml',
    'docs/.ssh-notes.md',
    'ssh/config.md',
    'my.ssh/x',
    'kube/config.ts',
    'tls/cert.pem',
    'ca.pem',
    'keys.ts',
    'public.pem',
    '.claude/plans/next.md',
    '.claude/worktrees/fix/src/a.ts',
    'CLAUDE.md',
    'AGENTS.md',
    'etc/passwd',
    'rootfs/etc/shadow',
    '/tmp/x',
    '/dev/null',
    '/dev/stdout',
    '/dev/shm/a',
    '100%.txt',
    'a%20b.txt',
    'weird~1name',
    '~lock.x#',
    'C:\\work\\src\\a.ts',
    'naïve/日本語.md',
    '...',
    'go/...',
    'a..b',
    '..a',
  ])('%s', (path) => {
    expect(verdictOn(path, 'read')).toBe('ordinary')
    expect(verdictOn(path, 'write')).toBe('ordinary')
  })

  test('a public SSH key may be read, not written', () => {
    expect(verdictOn('~/.ssh/id_ed25519.pub', 'read')).toBe('ordinary')
    expect(verdictOn('~/.ssh/id_ed25519.pub', 'write')).toBe('sensitive')
  })
})

describe('every spelling of a sensitive path is sensitive', () => {
  const spellings: ((path: string) => string)[] = [
    (path) => path.replaceAll('/', '//'),
    (path) => path.replaceAll('/', '/./'),
    (path) => `${path}/`,
    (path) => path.toUpperCase(),
    (path) => path.replaceAll('/', '/x/../'),
    (path) => `../../../../../..${path}`,
    (path) => path.replaceAll('/', '\\'),
    (path) => `file://${path}`,
    (path) => `file://localhost${path}`,
    (path) => [...path].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
    (path) => path.replaceAll('/', '%252f'),
    (path) => path.replaceAll('/', '%c0%af'),
    (path) => path.replaceAll('.', '%u002e'),
    (path) => path.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
    (path) => path.replaceAll('.', '.\u200c'),
    (path) => path.replaceAll('s', 'ſ'),
    (path) => path.normalize('NFD'),
    (path) => path.replaceAll(/(?<=[^/])\//g, '. /'),
    (path) => `${path}. .`,
    (path) => `${path}::$DATA`,
    (path) => `${path}\0.txt`,
    (path) => `${path}%00.png`,
    (path) => `/proc/self/root${path}`,
    (path) => `/proc/1/root/proc/self/task/9/root${path}`,
    (path) => `/System/Volumes/Data${path}`,
    (path) => ` ${path}\n`,
  ]
  const places = [
    '/home/ada/.ssh/id_rsa',
    '/etc/shadow',
    '/home/ada/work/.env',
    '/srv/app/.git/hooks/pre-push',
    '/home/ada/.claude/settings.json',
  ]

  test('one trick at a time', () => {
    for (const place of places)
      for (const spell of spellings)
        expect(verdictOn(spell(place), 'write'), JSON.stringify(spell(place))).toBe('sensitive')
  })

  test('tricks on top of each other', () => {
    const harmless = spellings.slice(0, 5).concat(spellings.slice(13, 17))
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.array(fc.constantFrom(...harmless), { maxLength: 3 }),
        (place, tricks) => {
          expect(
            verdictOn(
              tricks.reduce((path, spell) => spell(path), place),
              'write',
            ),
          ).toBe('sensitive')
        },
      ),
    )
  })

  test.each([
    '~/.ssh/x',
    '$HOME/.ssh/x',
    '$' + '{HOME}/.ssh/x',
    '%USERPROFILE%\\.ssh\\x',
    '$env:USERPROFILE\\.ssh\\x',
    '~root/.ssh/x',
    '~bob/.ssh/x',
    '~/../bob/.ssh/x',
    '$XDG_CONFIG_HOME/gcloud/x',
    '%APPDATA%\\gnupg\\x',
    '$PWD/.env',
    '\\\\?\\C:\\Users\\ada\\.ssh\\x',
    '\\\\server\\share\\.ssh\\x',
    'C:\\Users\\ada\\SSH~1\\x',
    'GIT~1\\hooks\\pre-commit',
    'C:.ssh\\x',
    '.git::$INDEX_ALLOCATION/hooks/x',
    '/private/etc/sudoers',
    '.cUrSoR/mcp.json',
  ])('%s', (path) => expect(verdictOn(path, 'write')).toBe('sensitive'))

  test('with or without knowing home and working directory', () => {
    for (const path of ['~/.ssh/id_rsa', '.env', 'etc/shadow', '$HOME/.aws/credentials'])
      expect(checkPath({ path, access: 'read' }).verdict).toBe('sensitive')
  })
})

describe('roots', () => {
  const inRoots = (path: string, roots: string[], more: Partial<PathQuestion> = {}) =>
    verdictOn(path, 'write', { roots, ...more })

  test('what is inside a root is ordinary, what is not is outside', () => {
    expect(inRoots('src/a.ts', [cwd])).toBe('ordinary')
    expect(inRoots('/home/ada/work', [`${cwd}/`])).toBe('ordinary')
    expect(inRoots('/srv/x', [cwd, '/srv'])).toBe('ordinary')
    expect(inRoots('/srv/x', ['/'])).toBe('ordinary')
    expect(inRoots('/home/ada/other', [cwd])).toBe('outside')
    expect(inRoots('~/notes.md', [cwd])).toBe('outside')
    expect(inRoots('/srv/x', [])).toBe('outside')
  })

  test('names are compared whole, and as the system spells them', () => {
    expect(inRoots('/home/ada/work-evil/x', [cwd])).toBe('outside')
    expect(inRoots('/home/ada/WORK/x', [cwd])).toBe('outside')
    expect(inRoots('/home/ada/work\\x', [cwd])).toBe('outside')
    expect(inRoots('/home/ada/wörk/x'.normalize('NFD'), ['/home/ada/wörk'])).toBe('ordinary')
    expect(inRoots('C:\\WORK\\x', ['c:/work'])).toBe('ordinary')
    expect(inRoots('src\\x', ['C:\\work'], { cwd: 'c:\\Work' })).toBe('ordinary')
    expect(inRoots('C:\\Users\\RUNNER~1\\Temp\\x', ['C:\\Users\\RUNNER~1\\Temp'])).toBe('ordinary')
    expect(inRoots('\\\\work\\x', ['/work'])).toBe('outside')
    expect(inRoots('/private/tmp/x', ['/tmp'])).toBe('ordinary')
  })

  test('climbing out is outside; climbing about inside is traversal; a secret inside is still sensitive', () => {
    expect(inRoots('../other/x', [cwd])).toBe('outside')
    expect(inRoots('src/../lib/x', [cwd])).toBe('traversal')
    expect(inRoots('src/../.env', [cwd])).toBe('sensitive')
    expect(inRoots('src/%2e%2e/%2e%2e/x', [cwd])).toBe('outside')
  })

  test('a path that depends on an unknown directory is outside', () => {
    expect(checkPath({ path: 'srv/x', access: 'write', roots: ['/srv'] }).verdict).toBe('outside')
    expect(checkPath({ path: '~/x', access: 'write', roots: ['/~'] }).verdict).toBe('outside')
    expect(checkPath({ path: 'x', access: 'write', cwd: 'srv', roots: ['/srv'] }).verdict).toBe('outside')
  })

  test.each(['~', '~/work', 'work', './work', '', '$HOME', 'file:///work'])(
    'a root that is not absolute is an error: %j',
    (root) => {
      expect(() => inRoots('x', ['/ok', root])).toThrow(TypeError)
    },
  )

  test('adding a root never makes an outside path ordinary unless it is inside that root', () => {
    const name = fc.constantFrom('a', 'b', 'A', 'ab')
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
    fc.assert(
      fc.property(path, fc.array(path, { maxLength: 3 }), path, (target, roots, another) => {
        const after = inRoots(target, [...roots, another])
        if (inRoots(target, roots) === 'ordinary') expect(after).toBe('ordinary')
        else expect(after).toBe(`${target}/`.startsWith(`${another}/`) ? 'ordinary' : 'outside')
      }),
    )
  })
})

describe('the real path', () => {
  test('is judged besides the path as written, and the worse of the two wins', () => {
    expect(verdictOn('link', 'read', { realpath: '/etc/shadow' })).toBe('sensitive')
    expect(verdictOn('link/x', 'write', { realpath: '/srv/x', roots: [cwd] })).toBe('outside')
    expect(verdictOn('.env', 'read', { realpath: '/srv/settings' })).toBe('sensitive')
    expect(verdictOn('a/../b', 'read', { realpath: '/home/ada/work/b' })).toBe('traversal')
    expect(verdictOn('src/a', 'write', { realpath: '/home/ada/work/src/a', roots: [cwd] })).toBe('ordinary')
  })
})

describe('traversal', () => {
  test.each([
    '../x',
    'a/../b',
    'a/..',
    '..\\x',
    '%2e%2e/x',
    '%252e%252e%252fx',
    '..%c0%afx',
    '．．/x',
    '‥/x',
    '.. /x',
    '.\u200b./x',
    'a\0b',
    'a%00b',
    `${'%25'.repeat(1)}${'25'.repeat(12)}2e/x`,
    'file:///srv/a/../b',
    '/proc/self/cwd/../../x',
  ])('%j', (path) => expect(verdictOn(path)).toBe('traversal'))
})

describe('laws', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '/',
          '\\',
          '.',
          '..',
          '~',
          '$HOME',
          '%2e',
          '%',
          'c:',
          'file:',
          '\0',
          'ssh~1',
          '.ssh',
          '.env',
          'a',
          ' ',
          ':',
          '／',
        ),
      )
      .map((parts) => parts.join('')),
  )

  test('no text throws, and every verdict says why', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, fc.constantFrom('read', 'write'), (path, where, whose, access) => {
        const verdict = checkPath({ path, access, cwd: where, home: whose, roots: ['/srv'], realpath: where })
        expect(verdict.why).toMatch(/\S/)
      }),
      { numRuns: 500 },
    )
  })

  test('a real path never lightens a verdict', () => {
    const gravity = ['ordinary', 'traversal', 'outside', 'sensitive']
    fc.assert(
      fc.property(anyText, anyText, (path, realpath) => {
        const alone = verdictOn(path, 'write', { roots: [cwd] })
        const both = verdictOn(path, 'write', { roots: [cwd], realpath })
        expect(gravity.indexOf(both)).toBeGreaterThanOrEqual(gravity.indexOf(alone))
      }),
    )
  })

  test('any spelling of an ordinary path without ".." is ordinary', () => {
    const name = fc.stringMatching(/^[a-z]{1,6}[0-9]{1,3}$/)
    const separator = fc.constantFrom('/', '//', '/./', '/.//')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(separator, name), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '/', '/.'),
        (steps, end) => {
          const path = `/srv${steps.flat().join('')}${end}`
          for (const spelling of [
            path,
            `file://${path}`,
            path.replace(/^\/srv[/.]*/, ''),
            path.replace('/srv', '$PWD'),
          ])
            expect(verdictOn(spelling, 'write', { roots: ['/srv'], cwd: '/srv' })).toBe('ordinary')
        },
      ),
    )
  })

  test('what is too long to be opened is never ordinary', () => expect(verdictOn('a/'.repeat(3000))).toBe('sensitive'))

  test('hostile repetition is judged quickly', () => {
    for (const piece of ['key', '.', '%25', '/', '..', '\u{fdfa}', ' .', 'a~1/'])
      for (const end of ['', 'x', '.pem', '!']) {
        const started = performance.now()
        verdictOn(piece.repeat(Math.floor(4090 / piece.length)) + end, 'write')
        expect(performance.now() - started).toBeLessThan(soon)
      }
  })

  test('every row says what it is and lists its paths once', () => {
    const all = sensitivePlaces.flatMap((place) => place.paths.map((path) => `${place.access} ${path.toLowerCase()}`))
    expect(new Set(all).size).toBe(all.length)
    for (const place of sensitivePlaces) expect(place.what).toMatch(/^\S.*[^.]$/)
  })
})
