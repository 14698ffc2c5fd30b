import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { agentHome, shellCall } from '../support/agent-calls.ts'
import { hookline } from '../support/cli.ts'

const { project, env, entry, status } = agentHome()
const script = join(project, 'no-deploys.sh')
writeFileSync(
  script,
  '#!/bin/sh\ngrep -q deploy && echo \'{"decision":"deny","reason":"Deploys are for people."}\'\nexit 0\n',
  { mode: 0o755 },
)
writeFileSync(
  join(project, 'hookline.yaml'),
  `version: 1
rules:
  - deny: { run: git push --force }
hooks:
  - id: no-deploys
    event: pre_tool_use
    matcher: { tool: shell }
    run: { type: command, command: ./no-deploys.sh }
`,
)
/** An agent that runs one command after asking, and says what became of it. */
const agent = join(project, '..', 'agent.sh')
writeFileSync(agent, `#!/bin/sh\nprintf '%s' "$1" | '${entry}' claude pre_tool_use\n`, { mode: 0o755 })

const ci = (...args: string[]) => hookline(['ci', ...args], '', { cwd: project, env })
const call = (command: string) => ['--', agent, JSON.stringify(shellCall(command, project))]

async function policyNow(): Promise<string> {
  const { stdout, stderr } = await ci()
  expect(stdout, stderr).toMatch(/^sha256:[0-9a-f]{64}\n$/)
  return stdout.trim()
}

describe('ci', () => {
  it('with its policy pinned, runs approved hooks without a person or a daemon, and keeps what was decided', async () => {
    const policy = await policyNow()
    const summary = join(project, 'step.md')
    const ran = await hookline(['ci', '--policy', policy, ...call('make deploy')], '', {
      cwd: project,
      env: { ...env, GITHUB_STEP_SUMMARY: summary },
    })
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([0, expect.stringContaining('Deploys are for people.')])
    expect(await status()).toBeUndefined()
    const kept = readFileSync(join(project, 'hookline-ci/decisions.jsonl'), 'utf8').trim().split('\n')
    expect(kept.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'pre_tool_use', outcome: 'deny', host: { name: 'claude-code' } },
    ])
    expect(readFileSync(summary, 'utf8')).toBe(readFileSync(join(project, 'hookline-ci/summary.md'), 'utf8'))
    expect(readFileSync(summary, 'utf8')).toMatch(/1 decision, 1 blocked.*\n.*as pinned[\s\S]*make deploy/)
    // Afterwards agents use a daemon again.
    expect(readFileSync(`${entry}.table`, 'utf8')).toMatch(/^socket \//m)
  })

  it('names the same policy wherever the project lies, and whoever has checked it out', async () => {
    const policy = await policyNow()
    const copy = join(project, '..', 'a copy of it')
    cpSync(project, copy, { recursive: true })
    chmodSync(join(copy, 'no-deploys.sh'), 0o775)
    expect((await hookline(['ci'], '', { cwd: copy, env })).stdout.trim()).toBe(policy)
    chmodSync(join(copy, 'no-deploys.sh'), 0o644)
    expect((await hookline(['ci'], '', { cwd: copy, env })).stdout.trim()).not.toBe(policy)
  })

  it('runs nothing where the policy is another one: a byte of a script is enough', async () => {
    const policy = await policyNow()
    writeFileSync(script, `${readFileSync(script, 'utf8')}# one more line\n`)
    const made = join(project, 'made')
    const { exit, stderr } = await ci('--policy', policy, '--', 'touch', made)
    expect([exit, existsSync(made)]).toEqual([1, false])
    expect(stderr).toContain(policy)
  })

  it('without a pin, hooks that nobody approved refuse; the exit code is that of the command', async () => {
    expect((await ci(...call('make deploy'))).stdout).toContain('"deny"')
    expect((await ci('--', 'sh', '-c', 'exit 7')).exit).toBe(7)
    expect((await ci('--policy', 'sha256:0')).exit).toBe(64)
  })
})

describe('the workflow to copy', () => {
  it('is one, and runs commands that there are', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/use-it-with-your-agent.md'), 'utf8')
    const { jobs } = parseYaml(/```yaml\n([\s\S]*?)```/.exec(guide)![1]!) as {
      jobs: Record<string, { 'runs-on': string; steps: { run?: string; uses?: string }[] }>
    }
    const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run?.split('\n') ?? []))
    const ours = lines.filter((line) => line.startsWith('hookline '))
    expect(ours.map((line) => line.split(' ')[1])).toEqual(['install', 'ci'])
    for (const line of ours) {
      const options = line.split(' -- ')[0]!.match(/--[a-z-]+/g) ?? []
      const { stdout } = await hookline([line.split(' ')[1]!, '--help'], '', { cwd: project, env })
      for (const option of options) expect(stdout).toContain(option)
    }
  })
})
