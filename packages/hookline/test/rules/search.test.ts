import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHooks, type Hooks } from '../../src/index.ts'
import { project } from './support.ts'

let hooks: Hooks
let cwd: string

beforeAll(async () => {
  cwd = project({
    '.env': 'KEY=1',
    'src/a.ts': 'KEY',
    'taken-back/.env': 'KEY=1',
    'taken-back/.ignore': '!.env\n',
    'example/.env.example': 'KEY=',
  })
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['add', 'src/a.ts'], { cwd })
  hooks = await createHooks({ use: ['secret-files'], cwd, journal: false })
  return () => hooks.close()
})

const run = async (command: string) => {
  const payload = { session_id: 's', tool_name: 'shell', tool_input: { command }, cwd }
  return (await hooks.raise('pre_tool_use', payload)).decision?.ruling ?? '-'
}

describe('a question comes before a search that may read a file of secrets', () => {
  it.each([
    'grep -rn KEY .',
    'grep -d recurse KEY .',
    "grep -rn KEY . --include='.e*'",
    'ack KEY',
    'ag --hidden KEY',
    'ag -p other KEY',
    'rg --hidden KEY',
    'rg -uu KEY',
    'rg --no-ignore --hidden KEY',
    "rg -g '.env' KEY",
    "rg -g '{.env,x}' KEY",
    "rg -g '**/.e*' KEY",
    'rg --iglob .ENV KEY',
    "rg --type-add 'x:.env' -t x KEY",
    'rg -t all KEY',
    'rg --ignore-file=other KEY',
    'RIPGREP_CONFIG_PATH=other rg KEY',
    'export RIPGREP_CONFIG_PATH=other; rg KEY',
    'rg KEY taken-back',
    'rg -l --json --hidden KEY',
    'git grep --no-index KEY',
    'git grep --untracked KEY',
    'git diff --no-index /tmp .',
  ])('%s', async (command) => expect(await run(command)).not.toBe('-'))
})

describe('a search that passes over it is not', () => {
  it.each([
    'rg KEY',
    'rg KEY src',
    'rg -t ts KEY',
    "rg -g '*.{ts,tsx}' KEY",
    "rg --hidden -g '!.env*' KEY",
    'ag KEY',
    'git grep KEY',
    'grep -rn KEY src',
    "grep -rn KEY . --include='*.ts'",
    "grep -rn KEY . --exclude='.env*'",
    'grep -rn KEY example',
    "grep -rl KEY src | xargs sed -i 's/KEY/TOKEN/'",
    'ls src/**/*.ts',
    'wc -l **/*.ts',
  ])('%s', async (command) => expect(await run(command)).toBe('-'))
})

describe('what prints names or numbers shows nothing that is in the files', () => {
  it.each([
    'grep -rl KEY .',
    'grep -rc KEY .',
    'grep -rq KEY .',
    'rg -l --hidden KEY',
    'rg -c --hidden KEY',
    'rg --files --hidden',
  ])('%s', async (command) => expect(await run(command)).toBe('-'))
  it('but those who read what was found do', async () => {
    expect(await run('grep -rl KEY . | xargs cat')).toBe('ask')
    expect(await run("find src -name '.env*' | xargs cat")).not.toBe('-')
  })
})
