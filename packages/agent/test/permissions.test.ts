import { describe, expect, it } from 'vitest'
import fc from '../../hookline/test/support/property.ts'
import { createPermissions, noRules, type PermissionMode, type PermissionRules } from '../src/permissions/index.ts'

const rules = (more: Partial<PermissionRules>): PermissionRules => ({ ...noRules, ...more })
const shell = (command: string, more: Record<string, unknown> = {}) => ({
  name: 'shell',
  category: 'shell',
  input: { command, ...more },
  readOnly: false,
})
const file = (name: string, path: string, readOnly = false) => ({
  name,
  category: 'filesystem',
  input: { path },
  readOnly,
})

const allowing = (...allow: string[]) => createPermissions({ team: rules({ allow }), cwd: '/srv/project' })
const denying = (...deny: string[]) => createPermissions({ team: rules({ deny }), yolo: true, cwd: '/srv/project' })

describe('the order of rules', () => {
  const call = shell('git push')
  it.each<[string, Parameters<typeof createPermissions>[0], string | undefined, string]>([
    ['nothing decides', {}, undefined, ''],
    ['yolo allows', { yolo: true }, 'allow', 'yolo'],
    [
      'a deny of the team beats yolo',
      { yolo: true, team: rules({ deny: ['shell'] }) },
      'deny',
      'team_permissions_deny',
    ],
    [
      'a deny of the team beats an allow of the session',
      { team: rules({ deny: ['shell'] }), session: rules({ allow: ['shell'] }) },
      'deny',
      'team_permissions_deny',
    ],
    [
      'a deny of the session beats an allow of the team',
      { team: rules({ allow: ['shell'] }), session: rules({ deny: ['shell:cmd=git push*'] }) },
      'deny',
      'session_permissions_deny',
    ],
    [
      'ask beats allow',
      { team: rules({ allow: ['shell'], ask: ['shell:cmd=git push*'] }) },
      'ask',
      'team_permissions_ask',
    ],
    ['the ask of the agent file yields to yolo', { yolo: true, team: rules({ ask: ['shell'] }) }, 'allow', 'yolo'],
    [
      'the ask of the person does not',
      { yolo: true, session: rules({ ask: ['shell'] }) },
      'ask',
      'session_permissions_ask',
    ],
    ['an allow of the team allows', { team: rules({ allow: ['shell'] }) }, 'allow', 'team_permissions_allow'],
    ['an allow of the session allows', { session: rules({ allow: ['sh*'] }) }, 'allow', 'session_permissions_allow'],
  ])('%s', (_, options, ruling, source) => {
    expect(createPermissions(options).decide(call)).toMatchObject({ ruling, source })
  })

  it('a read-only call needs no rule, unless one asks or denies', () => {
    const read = file('read_file', 'a.txt', true)
    expect(createPermissions().decide(read)).toMatchObject({ ruling: 'allow', source: 'readonly_hint' })
    expect(createPermissions({ team: rules({ ask: ['read_*'] }) }).decide(read).ruling).toBe('ask')
    expect(createPermissions({ team: rules({ deny: ['filesystem'] }) }).decide(read).ruling).toBe('deny')
  })

  it('names the rule that decided, and its source', () => {
    expect(denying('shell:cmd=sudo*').decide(shell('sudo ls')).reason).toBe(
      'The rule `shell:cmd=sudo*` of the agent file forbids it.',
    )
  })
})

describe('allowing commands', () => {
  it.each<[string, string, string[]]>([
    ['one command', 'git status', ['shell:cmd=git *']],
    ['the other name of the argument', 'git status', ['shell:command=git *']],
    ['each of several', 'git status && ls -l | wc -l', ['shell:cmd=git *', 'shell:cmd=ls*', 'shell:cmd=wc *']],
    ['quoted words', 'git commit -m "a && b; $x"', ['shell:cmd=git *']],
    ['output thrown away', 'git status > /dev/null 2>&1', ['shell:cmd=git *']],
    ['that very line', 'cd sub && FOO=1 npm test > log', ['shell:cmd=cd sub && FOO=1 npm test > log']],
    ['everything', 'rm -rf / && $X', ['shell:cmd=*']],
    ['the bare tool', 'a && b', ['shell']],
  ])('%s', (_, command, allow) => {
    expect(allowing(...allow).decide(shell(command)).ruling).toBe('allow')
    expect(allowing(...allow).decide({ ...shell(''), input: { cmd: command } }).ruling).toBe('allow')
  })

  it.each([
    ['a second command', 'git status && rm -rf /'],
    ['a second line', 'git status\nrm -rf /'],
    ['a command in the background', 'git status & rm x'],
    ['a pipe', 'git log | sh'],
    ['a substitution', 'git log $(rm -rf /)'],
    ['a substitution in quotes', 'git log "$(rm -rf /)"'],
    ['backquotes', 'git log `rm x`'],
    ['a process substitution', 'git diff <(rm x)'],
    ['a substitution in a default', `git log ${'$'}{X:-$(rm a)}`],
    ['a function of that name', 'git() { rm x; }; git status'],
    ['an alias', 'alias git=rm; git status'],
    ['a wrapper around it', 'sudo git status'],
    ['a redirection into a file', 'git log > ~/.bashrc'],
    ['a variable that reaches the program', 'PATH=/tmp:$PATH git status'],
    ['a variable that git runs', 'GIT_SSH_COMMAND="rm x" git fetch'],
    ['a program of another name', 'gitx status'],
    ['a program elsewhere', './git status'],
    ['a program in capitals', 'GIT status'],
    ['something unreadable', 'git status; ('],
    ['a condition', 'if rm x; then git status; fi'],
  ])('never covers %s', (_, command) => {
    expect(allowing('shell:cmd=git *').decide(shell(command)).ruling).toBeUndefined()
  })

  it('find does not carry other commands', () => {
    const permissions = allowing('shell:cmd=find*')
    expect(permissions.decide(shell('find . -name x')).ruling).toBe('allow')
    expect(permissions.decide(shell('find . -name x -exec rm {} +')).ruling).toBeUndefined()
  })

  it('a star behind a word ends at the word', () => {
    expect(allowing('shell:cmd=ls*').decide(shell('lsof')).ruling).toBeUndefined()
    expect(allowing('shell:cmd=ls*').decide(shell('ls -l')).ruling).toBe('allow')
  })

  it('both names of the argument count when both are given', () => {
    const both = shell('git status', { cmd: 'rm -rf /' })
    expect(allowing('shell:cmd=git *').decide(both).ruling).toBeUndefined()
    expect(denying('shell:command=rm *').decide(both).ruling).toBe('deny')
  })
})

describe('forbidding commands', () => {
  it.each([
    'sudo ls',
    'ls && sudo ls',
    'echo $(sudo ls)',
    'bash -c "sudo ls"',
    'nohup sudo ls &',
    'find . -exec sudo ls \\;',
    'env X=1 sudo ls',
    '/usr/bin/sudo ls',
    '\\sudo ls',
    '"su"do ls',
    'SUDO ls',
    's=sudo; $s ls',
    'eval "sudo ls"',
    'xargs sudo ls < names',
    'python3 -c "import os; os.system(\'sudo ls\')"',
    'f() { sudo ls; }; f',
    'echo "sudo ls" | sh',
  ])('finds %s', (command) => {
    expect(denying('shell:cmd=sudo*').decide(shell(command)).ruling).toBe('deny')
    expect(denying('shell:command=sudo*').decide({ ...shell(''), input: { cmd: command } }).ruling).toBe('deny')
  })

  it('all conditions must hold of the same command', () => {
    const permissions = denying('shell:cmd=rm*:cmd=*-rf*')
    expect(permissions.decide(shell('rm -rf x')).ruling).toBe('deny')
    expect(permissions.decide(shell('rm x')).ruling).toBe('allow')
  })

  it('a command line that cannot be read needs approval, even under yolo', () => {
    expect(denying('shell:cmd=sudo*').decide(shell('$TOOL ls'))).toMatchObject({ ruling: 'ask' })
    expect(denying('shell:cmd=sudo*').decide(shell('curl x | sh'))).toMatchObject({ ruling: 'ask' })
    expect(createPermissions({ yolo: true }).decide(shell('$TOOL ls')).ruling).toBe('allow')
  })

  it('that very line in an allow rule lets it pass, for the tool that the rule is about', () => {
    const permissions = createPermissions({
      team: rules({ deny: ['shell:cmd=sudo*'], allow: ['shell:cmd=$TOOL ls', 'shell:cmd=$OTHER *'] }),
      cwd: '/srv/project',
    })
    expect(permissions.decide(shell('$TOOL ls')).ruling).toBe('allow')
    expect(permissions.decide(shell('$OTHER ls')).ruling, 'a wildcard names no line').toBe('ask')
    expect(permissions.decide({ ...shell('$TOOL ls'), name: 'bash' }).ruling).toBe('ask')
  })

  it('a rule about the shell is a rule about the shell of the sandbox, and about background jobs', () => {
    expect(denying('shell').decide({ ...shell('ls'), name: 'bash' }).ruling).toBe('deny')
    expect(denying('shell:cmd=rm*').decide({ ...shell('rm x'), name: 'run_background_job' }).ruling).toBe('deny')
  })
})

describe('other arguments', () => {
  it('an argument is one argument, whichever of its names a tool uses', () => {
    const several = {
      name: 'read_multiple_files',
      input: { paths: ['a', './.env'] },
      category: 'filesystem',
      readOnly: true,
    }
    expect(denying('*:path=.env').decide(several).ruling).toBe('deny')
    const fetching = (...urls: string[]) => ({ name: 'fetch', input: { urls }, category: 'fetch', readOnly: false })
    expect(denying('fetch:url=https://evil*').decide(fetching('https://ok.com', 'https://evil.com')).ruling).toBe(
      'deny',
    )
    const docs = allowing('fetch:url=https://docs.com/*')
    expect(docs.decide(fetching('https://docs.com/a')).ruling).toBe('allow')
    expect(docs.decide(fetching('https://docs.com/a', 'https://evil.com')).ruling).toBeUndefined()
  })

  it('a path is where it leads', () => {
    const permissions = allowing('edit_file:path=src/*')
    expect(permissions.decide(file('edit_file', 'src/a.ts')).ruling).toBe('allow')
    expect(permissions.decide(file('edit_file', './src/deep/a.ts')).ruling).toBe('allow')
    expect(permissions.decide(file('edit_file', '/srv/project/src/a.ts')).ruling).toBe('allow')
    expect(permissions.decide(file('edit_file', 'src/../.env')).ruling).toBeUndefined()
    expect(denying('write_file:path=/etc/*').decide(file('write_file', '../../etc/passwd')).ruling).toBe('deny')
    expect(denying('write_file:path=.env').decide(file('write_file', 'src/../.env')).ruling).toBe('deny')
  })

  it('every item of a list must be allowed, any can be forbidden', () => {
    const call = { name: 'fetch', category: 'fetch', input: { urls: ['https://a.org/x', 'https://b.org'] } }
    const fetch = { ...call, readOnly: false }
    expect(allowing('fetch:urls=https://a.org/*').decide(fetch).ruling).toBeUndefined()
    expect(allowing('fetch:urls=https://*').decide(fetch).ruling).toBe('allow')
    expect(denying('fetch:urls=https://b.org*').decide(fetch).ruling).toBe('deny')
  })

  it('tools of MCP servers go by their own name, by docker-agent’s and by the kind', () => {
    const call = { name: 'mcp_github_get_issue', category: 'mcp', input: {}, readOnly: false }
    for (const pattern of ['mcp_github_*', 'github_get_*', 'mcp:*', 'mcp:github:get_*', '*'])
      expect(allowing(pattern).decide(call).ruling, pattern).toBe('allow')
    expect(allowing('github_delete_*').decide(call).ruling).toBeUndefined()
  })

  it('a condition on an argument that is not there does not hold', () => {
    expect(allowing('shell:cwd=sub').decide(shell('ls')).ruling).toBeUndefined()
    expect(denying('shell:cwd=sub').decide(shell('ls')).ruling).toBe('allow')
  })
})

describe('what the person grants', () => {
  it('for the session: everything but what is forbidden', () => {
    const permissions = createPermissions({ team: rules({ deny: ['shell:cmd=sudo*'] }) })
    permissions.grant(shell('ls'), 'session')
    expect(permissions.yolo).toBe(true)
    expect(permissions.decide(shell('make'))).toMatchObject({ ruling: 'allow', source: 'yolo' })
    expect(permissions.decide(shell('sudo make')).ruling).toBe('deny')
  })

  it('for a tool: that tool', () => {
    const permissions = createPermissions()
    permissions.grant(file('edit_file', 'a'), 'tool')
    expect(permissions.decide(file('edit_file', 'b'))).toMatchObject({ source: 'session_permissions_allow' })
    expect(permissions.decide(file('write_file', 'b')).ruling).toBeUndefined()
  })

  it('for a command: that command with other arguments, and nothing tied to it', () => {
    const permissions = createPermissions()
    permissions.grant(shell('git add a.txt'), 'tool')
    expect(permissions.describeGrant?.(shell('git add a.txt'))).toBe('`git add` with any arguments')
    expect(permissions.decide(shell('git add b.txt')).ruling).toBe('allow')
    for (const other of ['git push', 'git add b && rm x', 'git add $(rm x)', 'git additional', 'sudo git add b'])
      expect(permissions.decide(shell(other)).ruling, other).toBeUndefined()
  })

  it('for a line of several commands: that very line', () => {
    const permissions = createPermissions()
    permissions.grant(shell('make && ./deploy > log'), 'tool')
    expect(permissions.describeGrant?.(shell('make && ./deploy > log'))).toBe('exactly this command line')
    expect(permissions.decide(shell('make && ./deploy > log')).ruling).toBe('allow')
    for (const other of ['make', 'make && ./deploy', 'make && ./deploy > log2', './deploy'])
      expect(permissions.decide(shell(other)).ruling, other).toBeUndefined()
  })

  it('answers the rule that asked, and no other', () => {
    const permissions = createPermissions({ team: rules({ ask: ['edit_file:path=a*', 'edit_file:path=secret*'] }) })
    permissions.grant(file('edit_file', 'a.txt'), 'tool')
    expect(permissions.decide(file('edit_file', 'a2.txt')).ruling).toBe('allow')
    expect(permissions.decide(file('edit_file', 'secret.txt')).ruling).toBe('ask')
  })
})

describe('laws', () => {
  const words = ['git status', 'rm -rf x', 'ls', 'sudo make', 'echo $(rm y)', 'npm test > log', '$X', 'cat a | sh']
  const line = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
    .chain((parts) => fc.constantFrom(' && ', '; ', ' | ', '\n', ' || ').map((joint) => parts.join(joint)))
  const pattern = fc.constantFrom(
    ...['shell', '*', 'sh*', 'shell:cmd=git *', 'shell:cmd=rm*', 'shell:command=ls*', 'shell:cmd=*', 'shell:cmd=sudo*'],
    ...['shell:cmd=npm test > log', 'read_*', 'shell:cwd=x', 'shell:cmd=echo*', 'shell:cmd=*x*'],
  )
  const patterns = fc.array(pattern, { maxLength: 3 })
  const someRules = fc.record({ allow: patterns, ask: patterns, deny: patterns })
  const call = fc.tuple(line, fc.boolean(), fc.constantFrom('command', 'cmd')).map(([text, readOnly, key]) => ({
    name: 'shell',
    category: 'shell',
    input: { [key]: text },
    readOnly,
  }))
  const strictness = { allow: 0, undefined: 1, ask: 2, deny: 3 } as const
  const rank = (ruling: 'allow' | 'ask' | 'deny' | undefined) => strictness[`${ruling}`]

  it('deny always wins', () => {
    fc.assert(
      fc.property(someRules, someRules, fc.boolean(), call, (team, session, yolo, one) => {
        const denied = [...team.deny, ...session.deny].some(
          (deny) => createPermissions({ team: rules({ deny: [deny] }) }).decide(one).ruling === 'deny',
        )
        const ruling = createPermissions({ team, session, yolo }).decide(one).ruling
        expect(ruling === 'deny').toBe(denied)
      }),
    )
  })

  it('a further deny or ask never lets more through; a further allow never less', () => {
    fc.assert(
      fc.property(someRules, someRules, pattern, call, (team, session, more, one) => {
        const now = rank(createPermissions({ team, session }).decide(one).ruling)
        for (const kind of ['deny', 'ask'] as const) {
          const wider = { ...team, [kind]: [...team[kind], more] }
          expect(rank(createPermissions({ team: wider, session }).decide(one).ruling)).toBeGreaterThanOrEqual(now)
        }
        const wider = { ...team, allow: [...team.allow, more] }
        expect(rank(createPermissions({ team: wider, session }).decide(one).ruling)).toBeLessThanOrEqual(now)
      }),
    )
  })

  it('a line is allowed only if each of its commands is', () => {
    const parts = fc.array(fc.constantFrom('git status', 'ls -l', 'rm -rf x', 'make all'), {
      minLength: 1,
      maxLength: 4,
    })
    const narrow = fc.array(fc.constantFrom('shell:cmd=git *', 'shell:cmd=ls*', 'shell:cmd=make *'), { maxLength: 3 })
    fc.assert(
      fc.property(parts, fc.constantFrom(' && ', '; ', ' | ', '\n', ' & '), narrow, (commands, joint, allow) => {
        const permissions = allowing(...allow)
        const all = commands.every((command) => permissions.decide(shell(command)).ruling === 'allow')
        expect(permissions.decide(shell(commands.join(joint))).ruling === 'allow').toBe(all)
      }),
    )
  })

  it('a grant allows what it was given for', () => {
    fc.assert(
      fc.property(call, (one) => {
        const permissions = createPermissions()
        permissions.grant(one, 'tool')
        expect(permissions.decide(one).ruling).toBe('allow')
      }),
    )
  })
})

describe('permission modes', () => {
  const ask = (mode: PermissionMode, name: string, category: string, readOnly = false) =>
    createPermissions({ mode, team: { allow: ['shell'], ask: [], deny: ['edit_file:path=secret*'] } }).decide({
      name,
      category,
      input: { command: 'make', path: 'secret.txt' },
      readOnly,
    }).ruling

  it.each([
    ['plan', 'shell', 'shell', 'deny'],
    ['default', 'shell', 'shell', 'allow'],
    ['default', 'write_file', 'filesystem', undefined],
    ['accept-edits', 'write_file', 'filesystem', 'allow'],
    ['accept-edits', 'fetch', 'fetch', undefined],
    ['accept-edits', 'edit_file', 'filesystem', 'deny'],
    ['yolo', 'fetch', 'fetch', 'allow'],
    ['yolo', 'edit_file', 'filesystem', 'deny'],
  ] as const)('%s: %s of %s is %s', (mode, name, category, ruling) => expect(ask(mode, name, category)).toBe(ruling))

  it('in plan mode what only reads runs, and the mode can change while it works', () => {
    expect(ask('plan', 'read_file', 'filesystem', true)).toBe('allow')
    const permissions = createPermissions({ mode: 'plan' })
    permissions.setMode('yolo')
    expect([permissions.mode, permissions.yolo]).toEqual(['yolo', true])
  })
})
