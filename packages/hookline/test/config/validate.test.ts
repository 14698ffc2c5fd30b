import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { readConfig, validateHooks } from '../../src/config/index.ts'
import { defineExecutor, type Executor, formatNote } from '../../src/core/index.ts'

const executor = (type: string, spec: z.ZodMiniType): Executor =>
  defineExecutor({
    type,
    doc: type,
    spec,
    pins: () => [],
    run: async () => ({ kind: 'opinion', opinion: undefined }),
  })

const executors = {
  command: executor(
    'command',
    z.strictObject({
      command: z.string().check(z.describe('A shell command.')),
      args: z.optional(z.array(z.string())),
      retries: z.optional(z.int().check(z.gte(0), z.lte(3))),
    }),
  ),
  judge: executor('judge', z.union([z.strictObject({ model: z.string() }), z.strictObject({ url: z.string() })])),
}

async function problems(entries: string): Promise<string[]> {
  const { hooks, locateIn, problems } = await readConfig('hookline.yaml', {
    layer: 'user',
    text: `version: 1\nhooks:\n${entries}`,
  })
  expect(problems).toEqual([])
  return (await validateHooks(hooks, executors, locateIn)).problems.map(formatNote)
}

describe('specs', () => {
  test('an unknown type is reported with the nearest known one', async () => {
    expect(await problems('  - event: stop\n    run: { type: comand, command: x }\n')).toEqual([
      'hookline.yaml:4:12: hook "stop_1": Unknown type `comand` of hook. Did you mean `command`? Known types: command, judge.',
    ])
  })

  test('a wrong option is reported in plain words, at its own place', async () => {
    const entries =
      '  - event: stop\n    run:\n      type: command\n      command: 5\n      args: [a, 2]\n      retries: 9\n'
    expect(await problems(entries)).toEqual([
      'hookline.yaml:6:7: hook "stop_1": The command hook is not right: `command` must be a string, not the number 5. What it is: A shell command.',
      'hookline.yaml:7:17: hook "stop_1": The command hook is not right: `args[1]` must be a string, not the number 2. Write a string.',
      'hookline.yaml:8:7: hook "stop_1": The command hook is not right: `retries` must be at most 3, not the number 9. Write at most 3.',
    ])
  })

  test('a missing option is missed where it should have been', async () => {
    const [problem] = await problems('  - event: stop\n    run: { type: command }\n')
    expect(problem).toContain('hookline.yaml:4:5: hook "stop_1": The command hook is not right: `command` is missing.')
  })

  test('an unknown option is reported with the nearest known one', async () => {
    expect(await problems('  - event: stop\n    run: { type: command, command: x, agrs: [] }\n')).toEqual([
      'hookline.yaml:4:39: hook "stop_1": Unknown key `agrs`. Did you mean `args`? Known keys here: type, command, args, retries.',
    ])
  })

  test('of several forms, the nearest is explained', async () => {
    expect(await problems('  - event: stop\n    run: { type: judge, model: 1 }\n')).toEqual([
      'hookline.yaml:4:25: hook "stop_1": The judge hook is not right: `model` must be a string, not the number 1. Write a string.',
    ])
  })
})

describe('patterns', () => {
  test.each([
    ['(?=x)y', 'it uses look-ahead or look-behind'],
    ['(a)\\1', 'it uses a back-reference'],
    ['(', 'missing closing )'],
  ])('%s is refused at load, with the reason', async (pattern, reason) => {
    const [problem] = await problems(`  - event: pre_tool_use\n    matcher:\n      tool: '${pattern}'\n    run: x\n`)
    expect(problem).toContain('hookline.yaml:5:7: hook "pre_tool_use_1": matcher: not a valid regex')
    expect(problem).toContain(reason)
  })
})

describe('ids over several files', () => {
  const load = async (file: string, entries: string) =>
    (await readConfig(file, { layer: 'user', text: `version: 1\nhooks:\n${entries}` })).hooks

  test('an id that somebody wrote belongs to one hook', async () => {
    const hooks = [
      ...(await load('hookline.a.yaml', '  - { id: mine, event: stop, run: a }\n')),
      ...(await load('hookline.b.yaml', '  - { id: mine, event: stop, run: b }\n')),
    ]
    const validated = await validateHooks(hooks, executors)
    expect(validated.hooks).toEqual([hooks[0]])
    expect(validated.problems.map(formatNote)[0]).toContain(
      'hookline.b.yaml:3:5: hook "mine": The id `mine` is used twice; first at hookline.a.yaml:3:5.',
    )
  })

  test('a made id that two files share gets a number of its own', async () => {
    const hooks = [
      ...(await load('hookline.a.yaml', '  - { event: stop, run: a }\n  - { event: stop, run: b }\n')),
      ...(await load('hookline.b.yaml', '  - { event: stop, run: c }\n  - { event: stop, run: d }\n')),
    ]
    const validated = await validateHooks(hooks, executors)
    expect(validated.problems).toEqual([])
    expect(validated.hooks.map((hook) => hook.id)).toEqual(['stop_1', 'stop_2', 'stop_3', 'stop_4'])
  })
})
