import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const config = (...rules: string[]) => `version: 1\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`
const noForce = '{ id: no-force, deny: { run: git push --force } }'
const noInternal = '{ id: no-internal, deny: { fetch: "*.internal.example.com" } }'

async function run(files: Record<string, string>, ...args: string[]) {
  const cwd = realpathSync(scratch(files))
  return { cwd, ...(await hookline(args, '', { cwd })) }
}

describe('hookline test with rules', () => {
  const cases = (expect: string, command = 'git push --force') =>
    `version: 1\ncases:\n  - { name: one, given: { tool: shell, command: ${command} }, expect: ${expect} }\n`
  const play = async (expected: string, command?: string) => {
    const files = {
      'hookline.yaml': config(noForce, noInternal),
      'hookline.test.yaml': cases(expected, command),
    }
    const { exit, stdout } = await run(files, 'test', '--json')
    return { exit, json: JSON.parse(stdout) }
  }

  it.each([
    ['{ decision: deny, rule: no-force }', 'git push --force', 0],
    ['{ rule: [no-force] }', 'git push --force', 0],
    ['{ decision: deny, rule: no-internal }', 'git push --force', 1],
    ['{ rule: none }', 'git push --force', 1],
    ['{ rule: none }', 'git status', 0],
    ['{ rule: no-force }', 'git status', 1],
  ])('%s of `%s` ends with %i', async (expected, command, exit) => {
    expect((await play(expected, command)).exit).toBe(exit)
  })

  it('a rule that may match beside the one that decides has not decided', async () => {
    const { json } = await play('{ decision: deny, rule: no-force }')
    expect(json.cases[0].steps[0]).toMatchObject({ decision: 'deny', rules: ['no-force'] })
  })

  it('a rule that does not exist is a mistake in the case, with what was meant', async () => {
    const { exit, json } = await play('{ rule: no-forse }')
    expect([exit, json.problems[0].code, json.problems[0].message]).toEqual([
      1,
      'case-rule',
      'There is no rule `no-forse`. Did you mean `no-force`?',
    ])
  })

  it('coverage counts rules by their ids, and lists those that no case matches, with their places', async () => {
    const files = { 'hookline.yaml': config(noForce, noInternal), 'hookline.test.yaml': cases('{ rule: none }', 'ls') }
    const { stdout } = await run(files, 'test')
    expect(stdout).toContain('Coverage 0 %: 0 of 2 rules matched.')
    expect(stdout).toMatch(/never matched {2}no-force +hookline.yaml:3/)
    expect(stdout).toMatch(/never matched {2}no-internal +hookline.yaml:4/)
    expect(stdout).not.toContain('permission_request')
  })

  it('the line of a case names the rule that decided', async () => {
    const files = { 'hookline.yaml': config(noForce), 'hookline.test.yaml': cases('{ decision: deny }') }
    expect((await run(files, 'test')).stdout).toMatch(/✔ one {2}deny by no-force, /)
  })
})

describe('hookline doctor with rules', () => {
  const doctor = async (...rules: string[]) => {
    const { exit, stdout } = await run({ 'hookline.yaml': config(...rules) }, 'doctor', '--trust', 'all', '--json')
    const { hooks } = JSON.parse(stdout) as { hooks: { rules?: { id: string; proof: string; where: string }[] }[] }
    return { exit, proofs: hooks.flatMap(({ rules: proofs = [] }) => proofs), stdout }
  }

  it.each([
    'deny: { run: git push --force }',
    'deny: { run: "rm -rf *" }',
    'deny: { run: [npm publish, yarn publish] }',
    'ask: { write: [infra/**, .github/workflows/**] }',
    'deny: { read: ["~/.ssh/**"] }',
    'deny: { read: "**/.env*" }',
    'deny: { read: "**/.env*" }, except: { read: "**/.env.example" }',
    'deny: { read: "*.{pem,key}" }',
    'deny: { read: "id_[rd]sa?" }',
    'deny: { delete: src }',
    'deny: { fetch: "*.internal.example.com" }',
    'deny: { fetch: 10.0.0.0/8 }',
    'deny: { fetch: "http://*" }',
    'ask: { send: slack }',
    'ask: { spawn: "*" }',
    'deny: { call: github/delete_* }',
    'ask: { tool: web_search }',
    'ask: { tool: Bash }',
    'ask: { tool: refund, where: { amount: { gt: 100 } } }',
    'ask: { tool: refund, where: { amount: { gt: 100, lt: 102 }, order.kind: { in: [a, b] } } }',
    'deny: { tool: web_search, where: { query: { matches: "secret-[0-9]+" } } }',
    'deny: { prompt: launch codes }',
    'deny: { prompt: "/pass(word|phrase)/i" }',
    'deny: { run: ls }, when: { agent: builder }',
    'deny: { fetch: "*" }, when: { after: secret }',
    'ask: { run: git push }, when: { after: { fetch: example.com } }',
    'ask: { run: [git commit, git push] }, when: { branch: [main, release/*] }',
  ])('{ %s } is proven on something made of what it says', async (rule) => {
    const { exit, proofs } = await doctor(`{ id: it, ${rule} }`)
    expect(proofs.length).toBeGreaterThan(0)
    expect(new Set(proofs.map(({ id, proof, where }) => `${id} ${proof} ${where}`))).toEqual(
      new Set(['it proven hookline.yaml:3:5']),
    )
    expect(exit).toBe(0)
  })

  it.each([
    ['deny: { run: npm publish }, when: { branch: main }', 'it depends on branch'],
    ['deny: { run: rm }, mode: shadow', 'in shadow mode it only reports'],
    ['deny: { run: rm }, until: 2020-01-31', 'it ended on 2020-01-31'],
  ])('{ %s } is listed as not proven: %s', async (rule, why) => {
    const { stdout } = await run({ 'hookline.yaml': config(`{ id: it, ${rule} }`) }, 'doctor', '--trust', 'all')
    expect(stdout).toMatch(new RegExp(`! it +hookline.yaml:3:5 +not proven: ${why}`))
  })

  it('a rule that another one answers is a failure, with the place of the rule', async () => {
    const files = { 'hookline.yaml': config('{ id: it, ask: { run: npm test } }', '{ allow: { run: npm test } }') }
    const { exit, stdout } = await run(files, 'doctor', '--trust', 'all')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/hookline.yaml:3:5 {2}error {2}.*The rule `it` does not stop npm test: the answer is allow/)
  })

  it('nothing that a sample says is done', async () => {
    const rule = '{ id: it, deny: { run: touch made } }'
    const { cwd, exit } = await run({ 'hookline.yaml': config(rule) }, 'doctor', '--trust', 'all', '--live')
    expect([exit, existsSync(join(cwd, 'made'))]).toEqual([0, false])
  })
})

describe('rules in other commands', () => {
  const files = { 'hookline.yaml': config(noForce, noInternal, '{ deny: { prompt: launch codes } }') }

  it('list shows a list of rules once, by their number', async () => {
    const { stdout } = await run(files, 'list')
    expect(stdout).toMatch(/^Hooks are on: 3 rules from 1 file\./)
    expect(stdout.match(/3 rules {2}enforce/g)).toHaveLength(1)
    const json = JSON.parse((await run(files, 'list', '--json')).stdout)
    expect(json[0]).toMatchObject({ id: 'rules', rules: ['no-force', 'no-internal', 'deny_3'] })
  })

  it('check counts rules as what the person wrote', async () => {
    expect((await run(files, 'check')).stdout).toBe('✔ 3 rules in hookline.yaml, no problems.\n')
  })

  it('docs has a page about them, and the schema knows them', async () => {
    const { stdout } = await run({}, 'docs', 'rules')
    expect(stdout).toMatch(/^## rules \(topic\)[\s\S]*`deny`[\s\S]*`run`[\s\S]*`branch`/)
    const schema = JSON.parse((await run({}, 'schema')).stdout)
    expect(Object.keys(schema.properties.rules.items.properties)).toEqual(
      expect.arrayContaining(['deny', 'ask', 'allow', 'except', 'when', 'until']),
    )
  })
})
