import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostProgram } from '../../hookline/src/internal.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { ModelError, openModels, readTeam } from '../src/index.ts'
import { collect, never, userRequest } from './models/collect.ts'

const lines = (...all: object[]) => all.map((each) => JSON.stringify(each)).join('\n')

/** What the real programs print, in their own words (Claude Code 2.1, Codex CLI 0.166). */
const printed = {
  claude: lines(
    { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5', tools: ['Read', 'Bash'] },
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a.txt' } },
        ],
      },
    },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'hello' }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'It says hello.' }] } },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'It says hello.',
      total_cost_usd: 0.002,
      usage: { input_tokens: 200, output_tokens: 30, cache_creation_input_tokens: 5, cache_read_input_tokens: 7 },
    },
  ),
  codex: lines(
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.completed', item: { id: 'i1', type: 'command_execution', command: 'ls', exit_code: 0 } },
    { type: 'item.completed', item: { id: 'i2', type: 'agent_message', text: 'There is file.txt.' } },
    { type: 'turn.completed', usage: { input_tokens: 150, cached_input_tokens: 50, output_tokens: 25 } },
  ),
}

/** A program of that name which prints this, and keeps how it was called. */
function standIn(program: string, output: string, exit = 0) {
  const bin = scratch({ out: output })
  writeFileSync(
    join(bin, program),
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${bin}/args"\ncat > "${bin}/stdin"\ncat "${bin}/out"\nexit ${exit}\n`,
  )
  chmodSync(join(bin, program), 0o755)
  return {
    env: { PATH: `${bin}:${process.env['PATH']}` },
    args: () => readFileSync(join(bin, 'args'), 'utf8').trim().split('\n'),
    stdin: () => readFileSync(join(bin, 'stdin'), 'utf8'),
  }
}

function open(harness: object, env: Record<string, string>, unguarded?: string, cwd = scratch({})) {
  const source = { file: 'a.yaml', locate: () => ({ file: 'a.yaml' }) }
  const { team, notes, problems } = readTeam({ agents: { root: { harness } } }, source)
  expect([notes, problems]).toEqual([[], []])
  const program = (host: string) => hostProgram(host, cwd, env)
  const place = { cwd, env, program, unguarded: async () => unguarded }
  return openModels({ team: team!, env: {}, harness: place })(team!.agents['root']!.models[0]!)
}

describe('a coding agent of others', () => {
  it('Claude Code answers with its text, its tokens and the cost it reports, under its own name', async () => {
    const { env, args, stdin } = standIn('claude', printed.claude)
    const model = await open({ type: 'claude-code', effort: 'high', model: 'opus' }, env)
    expect(model.id).toBe('claude-code')
    const parts = await collect(model.stream(userRequest('what does it say?'), never))
    expect(parts.filter(({ type }) => type === 'text')).toEqual([
      { type: 'text', text: 'Let me look.\n' },
      { type: 'text', text: 'It says hello.\n' },
    ])
    expect(parts).toContainEqual({ type: 'reasoning', text: '→ Read {"file_path":"a.txt"}\n' })
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      usage: { input_tokens: 200, output_tokens: 30, cached_input_tokens: 7, cached_write_tokens: 5 },
      cost: 0.002,
    })
    expect(args().join(' ')).toBe(
      '-p --output-format stream-json --verbose --permission-mode acceptEdits --model opus --effort high',
    )
    expect(stdin()).toContain('what does it say?')
  })

  it('Codex reports tokens and no cost', async () => {
    const { env, args } = standIn('codex', printed.codex)
    const model = await open({ type: 'codex' }, env)
    const parts = await collect(model.stream(userRequest('look'), never))
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      usage: { input_tokens: 100, cached_input_tokens: 50, output_tokens: 25 },
    })
    expect(args().slice(0, 2)).toEqual(['exec', '--json'])
  })

  it('is not started where hooks would not see what it does, and is not tried again when it fails', async () => {
    const { env } = standIn('claude', lines({ type: 'result', is_error: true, result: 'Credit balance is too low' }), 1)
    const bare = await open({ type: 'claude-code' }, env, 'Hookline is not installed in it.')
    await expect(collect(bare.stream(userRequest('x'), never))).rejects.toThrow('Hookline is not installed in it.')
    const broke = await open({ type: 'claude-code' }, env)
    const error = await collect(broke.stream(userRequest('x'), never)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ kind: 'invalid', message: 'claude-code: Credit balance is too low' })
    const gone = await open({ type: 'codex' }, { PATH: scratch({}) })
    await expect(collect(gone.stream(userRequest('x'), never))).rejects.toThrow(/there is no `codex` on the PATH/)
  })

  it('is never a program that the project brings, also by a link and in a larger project around it', async () => {
    const root = scratch({ 'packages/app/a.txt': '' })
    const bin = join(root, 'node_modules/.bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch "${root}/ran"\n`, { mode: 0o755 })
    const elsewhere = scratch({})
    symlinkSync(bin, join(elsewhere, 'bin'))
    const { env } = standIn('claude', printed.claude)
    const PATH = `${bin}:${elsewhere}/bin:${env.PATH}`
    for (const cwd of [root, join(root, 'packages/app')]) {
      const model = await open({ type: 'claude-code' }, { PATH }, undefined, cwd)
      await collect(model.stream(userRequest('x'), never))
      const bare = await open({ type: 'claude-code' }, { PATH: `${bin}:${elsewhere}/bin` }, undefined, cwd)
      await expect(collect(bare.stream(userRequest('x'), never))).rejects.toThrow(/except what the project brings/)
    }
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })
})
