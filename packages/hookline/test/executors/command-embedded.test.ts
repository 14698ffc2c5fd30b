import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { makeCall } from '../support/call.ts'
import { missing, scratch } from '../support/scratch.ts'

function withoutShell() {
  const executor = createCommandExecutor({ shell: missing('sh') })
  onTestFinished(() => executor.close?.())
  return executor
}

it('where there is no POSIX shell, the embedded one runs the command, and the report names it', async () => {
  const executor = withoutShell()
  const call = makeCall({ type: 'command' }, { timeoutMs: 20_000 })
  const command = 'tool=$(jq -r .tool_name); echo "no $tool here" >&2; exit 2'
  expect(await executor.run({ command }, call)).toEqual({
    kind: 'wire',
    exit: 2,
    stdout: '',
    stderr: 'no shell here\n',
  })
  expect(call.notes.map((note) => note.code)).toContain('sandbox-limit')
})

it('it works in the workspace: files of the host are there, and what it writes stays', async () => {
  const directory = scratch({ 'names.txt': 'ada\n' })
  const executor = withoutShell()
  const call = makeCall({ type: 'command' }, { timeoutMs: 20_000, workingDir: directory })
  expect(await executor.run({ command: 'cat names.txt; echo seen >> log.txt' }, call)).toMatchObject({
    exit: 0,
    stdout: 'ada\n',
  })
  expect(existsSync(join(directory, 'log.txt')) && readFileSync(join(directory, 'log.txt'), 'utf8')).toBe('seen\n')
})

it('a program that does not exist is still reported as missing', async () => {
  const executor = withoutShell()
  await expect(
    executor.run({ command: missing('program'), args: [] }, makeCall({ type: 'command' })),
  ).rejects.toMatchObject({ kind: 'spawn' })
})
