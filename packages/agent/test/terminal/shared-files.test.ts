import { expect, it } from 'vitest'
import { hookline } from '../../../hookline/test/support/cli.ts'
import { workplace } from './support.ts'

it('hooks of Everruns and the tools of the agent work on one file system: what one seeds, the other sees', async () => {
  const hook = (id: string, event: string, command: string) => ({ id, event, executor: { type: 'bash', command } })
  const config = {
    hooks: [
      hook('seed', 'session_start', "echo 'session bootstrapped' > /workspace/.bootstrap; echo '{}'"),
      hook('look', 'turn_end', 'cp /workspace/made /workspace/copied 2>/dev/null; true'),
    ],
  }
  const { cwd, env } = workplace({
    'everruns.json': JSON.stringify(config),
    'play.yaml': [
      'rehearsal: 1',
      'turns:',
      '  - call: { tool: bash, input: { command: "cat .bootstrap; echo by-the-tool > made" } }',
      '  - call: { tool: bash, input: { command: "cat copied" } }',
      "default: { say: 'It said: {{ result }}' }",
      '',
    ].join('\n'),
  })
  const args = [
    'run',
    '--rehearse',
    'play.yaml',
    '--sandbox',
    '--yolo',
    '--json',
    '--trust',
    'all',
    '--config',
    'everruns.json',
  ]
  const { stdout } = await hookline([...args, 'go'], '', { cwd, env })
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'tool_result')
  expect(results.map(({ content }) => content.trim())).toEqual(['session bootstrapped', 'by-the-tool'])
})
