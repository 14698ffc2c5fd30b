import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { verdictSchema } from '../../src/cli/commands/schema.ts'
import { eventNames } from '../../src/core/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

describe('hookline schema', () => {
  it('prints the schema of the config, the same that is published', async () => {
    const { exit, stdout, stderr } = await hookline(['schema'])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toBe(readFileSync(new URL('../../schema/hookline.schema.json', import.meta.url), 'utf8'))
  })

  it('knows the payload of an event in any spelling', async () => {
    const { stdout } = await hookline(['schema', 'payload', 'PreToolUse'])
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'Payload of pre_tool_use',
      properties: { tool_name: { type: 'string' }, tool_input: { type: 'object' } },
      required: ['tool_name', 'tool_input'],
    })
  })

  it('the schema of the verdict fits what dispatch prints', async () => {
    const cwd = scratch({
      'hookline.yaml': [
        'version: 1',
        'hooks:',
        '  - { event: pre_tool_use, matcher: { tool: edit }, run: exit 0 }',
        '  - { event: pre_tool_use, run: exit 7 }',
        '  - { event: pre_tool_use, mode: shadow, run: exit 2 }',
        '',
      ].join('\n'),
    })
    const payload = '{"event":"pre_tool_use","tool_name":"shell","tool_input":{}}'
    const { stdout } = await hookline(['dispatch', '--config', 'hookline.yaml', '--trust', 'all'], payload, { cwd })
    expect(verdictSchema.safeParse(JSON.parse(stdout)).error?.issues).toBeUndefined()
    const schema = JSON.parse((await hookline(['schema', 'verdict'])).stdout) as { required: string[] }
    expect(schema.required).toEqual(Object.keys(JSON.parse(stdout) as object))
  })

  it.each([
    [['schema', 'payload', 'pre_tool_usee'], /Did you mean `pre_tool_use`\?/],
    [['schema', 'stop'], /hookline schema payload stop/],
    [['schema', 'verdcit'], /Did you mean `verdict`\?/],
    [['schema', 'payload'], new RegExp(eventNames.at(-1)!)],
    [['schema', 'verdict', 'stop'], /one word too many/],
  ])('%j is wrong usage, and it says what would be right', async (args, words) => {
    const { exit, stdout, stderr } = await hookline(args)
    expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' })
    expect(stderr).toMatch(words)
  })
})
