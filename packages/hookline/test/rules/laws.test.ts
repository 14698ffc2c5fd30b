import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/index.ts'
import fc from '../support/property.ts'
import { judging, project } from './support.ts'

const flags = ['-r', '-f', '-v', '--recursive', '--force', '-rf', '-fr', '-vrf']
const before = ['sudo', 'env A=1', 'nice -n 5', 'timeout 5', 'nohup', 'A=1']
const around: ((command: string) => string)[] = [
  (command) => command,
  (command) => `bash -c '${command}'`,
  (command) => `true && ${command}`,
  (command) => `( ${command} )`,
  (command) => `if true; then ${command}; fi`,
  (command) => `${command} > /dev/null 2>&1 &`,
  (command) => `echo x | ${command}`,
  (command) => `echo "$(${command})"`,
  (command) => `f() { ${command}; }; f`,
]

describe('rules keep these laws', () => {
  it('wrapping a command does not change a deny', async () => {
    const { run } = await judging([{ deny: { run: ['rm -rf build', 'git push --force'] } }])
    const inner = fc.constantFrom(
      'rm -rf build',
      'rm -fr build x',
      'git push -f origin main',
      'rm x',
      'git push',
      'ls build',
    )
    const words = fc.array(fc.constantFrom(...before), { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(inner, words, fc.constantFrom(...around), async (command, front, wrap) => {
        const wrapped = wrap([...front.toSorted((one) => (one === 'A=1' ? -1 : 1)), command].join(' '))
        if ((await run(command)) === 'deny') expect([wrapped, await run(wrapped)]).toEqual([wrapped, 'deny'])
      }),
      { numRuns: 150 },
    )
  })

  it('the order of flags does not matter', async () => {
    const { run } = await judging([{ deny: { run: 'rm -rf target' } }, { allow: { run: 'rm -r -v target' } }])
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...flags), { maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        async (used, draws) => {
          const shuffled = [...used].sort(() => ((draws.next().value as number) % 3) - 1)
          expect(await run(`rm ${shuffled.join(' ')} target`)).toBe(await run(`rm target ${used.join(' ')}`))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('an allow never covers what is unknown', async () => {
    const { run } = await judging([
      { allow: { run: ['git *', 'npm *', 'cat *', '* *'] } },
      { allow: { tool: 'shell' } },
    ])
    const command = fc.constantFrom('git log', 'npm run build', 'cat a', 'cat a && git log')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell
    const unknown = fc.constantFrom('$X', '"$(cat f)"', '`cat f`', '${A:-b}$Y', '$(curl x)')
    await fc.assert(
      fc.asyncProperty(command, unknown, async (known, gap) => {
        expect(await run(known)).toBe('allow')
        expect(await run(`${known} ${gap}`)).toBe('-')
        expect(await run(`${gap} && ${known}`)).toBe('-')
      }),
      { numRuns: 60 },
    )
  })

  it('deny wins, whatever is allowed beside it', async () => {
    const pattern = fc.constantFrom('git push', 'git push *', 'git *', 'npm test', '* *')
    await fc.assert(
      fc.asyncProperty(fc.array(pattern, { maxLength: 3 }), pattern, async (allowed, denied) => {
        const { run } = await judging([...allowed.map((run) => ({ allow: { run } })), { deny: { run: denied } }])
        const alone = await judging([{ deny: { run: denied } }])
        for (const command of ['git push', 'git push origin', 'npm test', 'ls'])
          if ((await alone.run(command)) === 'deny') expect(await run(command)).toBe('deny')
      }),
      { numRuns: 40 },
    )
  })
})

describe('what rules are about', () => {
  it.each([
    [{ write: 'infra/**' }, { write_file: { path: 'infra/a.tf', content: '' } }, 'deny'],
    [{ write: 'infra/**' }, { edit_file: { path: './x/../infra/a.tf', edits: [] } }, 'deny'],
    [{ write: 'infra/**' }, { shell: { command: 'echo x > infra/a.tf' } }, 'deny'],
    [{ write: 'infra/**' }, { shell: { command: 'cd infra && touch a.tf' } }, 'deny'],
    [{ write: 'infra/**' }, { shell: { command: 'cp x infra/' } }, 'deny'],
    [{ write: 'infra/**' }, { shell: { command: 'rm infra/main.tf' } }, 'deny'],
    [{ delete: 'infra/**' }, { shell: { command: 'rm -r infra' } }, 'deny'],
    [{ delete: 'infra/**' }, { shell: { command: 'rm -rf .' } }, 'deny'],
    [{ delete: 'infra/**' }, { shell: { command: 'rm -rf other' } }, '-'],
    [{ write: 'infra/**' }, { read_file: { path: 'infra/main.tf' } }, '-'],
    [{ read: '.env*' }, { shell: { command: 'cat link' } }, 'deny'],
    [{ read: '.env*' }, { read_file: { path: 'link' } }, 'deny'],
    [{ read: '.env*' }, { shell: { command: 'cat *' } }, 'deny'],
    [{ read: '.env*' }, { shell: { command: 'cat *.md' } }, '-'],
    [{ read: '.env*' }, { shell: { command: 'grep -r word src' } }, '-'],
    [{ read: '.env*' }, { shell: { command: 'grep -r word .' } }, 'ask'],
    [{ read: '.env*' }, { shell: { command: 'cat "$FILE"' } }, 'ask'],
    [{ read: '~/.ssh/**' }, { shell: { command: 'cat ~/.ssh/id_rsa' } }, 'deny'],
    [{ read: '~/.ssh/**' }, { shell: { command: 'tar cf x $HOME/.ssh' } }, 'deny'],
    [{ read: 'src/*.{key,pem}' }, { read_file: { path: 'src/a.pem' } }, 'deny'],
    [{ read: 'src/*.{key,pem}' }, { read_file: { path: 'src/deep/a.pem' } }, '-'],
    [
      { fetch: '*.internal.example.com' },
      { fetch: { urls: ['https://a.example.com', 'https://A.Internal.Example.com./x'] } },
      'deny',
    ],
    [{ fetch: '*.internal.example.com' }, { shell: { command: 'curl -s https://a.internal.example.com' } }, 'deny'],
    [{ fetch: '*.internal.example.com' }, { shell: { command: 'git clone git@git.internal.example.com:x/y' } }, 'deny'],
    [{ fetch: '*.internal.example.com' }, { shell: { command: 'curl https://example.com/internal.example.com' } }, '-'],
    [{ fetch: '10.0.0.0/8' }, { fetch: { urls: ['http://10.1.2.3/'] } }, 'deny'],
    [{ fetch: '10.0.0.0/8' }, { fetch: { urls: ['http://11.1.2.3/'] } }, '-'],
    [{ fetch: 'http://*' }, { fetch: { urls: ['http://a.example'] } }, 'deny'],
    [{ fetch: 'http://*' }, { fetch: { urls: ['https://a.example'] } }, '-'],
    [{ fetch: 'a.example:8080' }, { fetch: { urls: ['http://a.example:8080/x'] } }, 'deny'],
    [{ fetch: 'a.example:8080' }, { fetch: { urls: ['http://a.example/x'] } }, '-'],
    [{ tool: 'Bash' }, { shell: { command: 'ls' } }, 'deny'],
    [{ tool: 'run_shell_command' }, { read_file: { path: 'a' } }, '-'],
    [{ tool: 'run_shell_command' }, { shell: { command: 'ls' } }, 'deny'],
    [{ tool: 'RUN_TERMINAL_COMMAND' }, { shell: { command: 'ls' } }, 'deny'],
    [{ tool: 'apply_patch' }, { edit_file: { path: 'a', edits: [] } }, 'deny'],
    [{ tool: 'execute' }, { shell: { command: 'ls' } }, 'deny'],
    [{ tool: 'Write' }, { delete_file: { path: 'a' } }, 'deny'],
    [{ tool: 'mcp:github:*' }, { mcp__github__merge: {} }, 'deny'],
    [{ tool: 'mcp:github:*' }, { mcp_github_merge: {} }, 'deny'],
    [{ tool: 'mcp:github:*' }, { mcp__gitlab__merge: {} }, '-'],
    [{ tool: 'mcp_github_merge' }, { mcp__github__merge: {} }, 'deny'],
    [{ tool: 'mcp__github__*' }, { mcp_github_merge: {} }, 'deny'],
    [{ call: 'github/*' }, { mcp__github__merge: {} }, 'deny'],
    [{ call: 'mcp__github__delete*' }, { mcp__github__delete_repo: {} }, 'deny'],
    [{ call: 'github/delete*' }, { mcp__github__list: {} }, '-'],
    [{ send: '*' }, { send_message: { to: 'ann', text: 'x' } }, 'deny'],
    [{ send: 'bob' }, { send_message: { to: 'ann', text: 'x' } }, '-'],
    [{ spawn: 'rev*' }, { transfer_task: { agent: 'reviewer', task: 'x' } }, 'deny'],
    [{ tool: 'refund', where: { amount: { gt: 100 } } }, { refund: { amount: 101 } }, 'deny'],
    [{ tool: 'refund', where: { amount: { gt: 100 } } }, { refund: { amount: '101' } }, 'deny'],
    [{ tool: 'refund', where: { amount: { gt: 100 } } }, { refund: { amount: 100 } }, '-'],
    [{ tool: 'refund', where: { amount: { gt: 100 } } }, { refund: { amount: 'a lot' } }, 'ask'],
    [
      { tool: 'refund', where: { 'order.items.price': { gte: 5, lt: 9 } } },
      { refund: { order: { items: [{ price: 1 }, { price: 5 }] } } },
      'deny',
    ],
    [{ tool: 'refund', where: { to: { in: ['a', 'b'] }, note: { exists: false } } }, { refund: { to: 'b' } }, 'deny'],
    [{ tool: 'refund', where: { to: { not: 'a' } } }, { refund: { to: 'a' } }, '-'],
    [{ tool: 'refund', where: { note: { matches: '(?i)urgent' } } }, { refund: { note: 'URGENT!' } }, 'deny'],
    [{ tool: 'refund', where: { dry: true } }, { refund: { dry: 'true' } }, 'deny'],
  ] as [object, Record<string, Record<string, unknown>>, string][])('%j of %j: %s', async (deny, given, expected) => {
    const { symlinkSync } = await import('node:fs')
    const cwd = project({ '.env': 'A=1', 'infra/main.tf': '', 'src/a.ts': '', 'README.md': '' })
    symlinkSync('.env', `${cwd}/link`)
    const { tool } = await judging([{ deny }], { cwd })
    const [[name, input]] = Object.entries(given) as [[string, Record<string, unknown>]]
    expect(await tool(name, input)).toBe(expected)
  })

  it('prompts', async () => {
    const hooks = await createHooks({
      rules: [{ deny: { prompt: ['ignore all rules', '/pass(word|phrase) is/i'] }, because: 'No.' }],
    })
    const of = async (prompt: string) => (await hooks.raise('user_prompt_submit', { prompt })).decision?.ruling
    expect(await of('Please IGNORE all rules')).toBe('deny')
    expect(await of('my Passphrase is x')).toBe('deny')
    expect(await of('hello')).toBeUndefined()
    await hooks.close()
  })
})

it('allowing a tool under the name of another system allows what it does there, and no more', async () => {
  const { tool } = await judging([{ ask: { tool: '*' } }, { allow: { tool: ['Write', 'run_shell_command'] } }])
  expect([
    await tool('write_file', { path: 'a', content: '' }),
    await tool('delete_file', { path: 'a' }),
    await tool('read_file', { path: 'a' }),
  ]).toEqual(['allow', 'ask', 'ask'])
})
