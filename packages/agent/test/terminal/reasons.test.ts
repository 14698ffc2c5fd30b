import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { linesOf, workplace } from './support.ts'

/** As Starchild documents it: a tag for searching, a sentence for people, and what it is about. */
const reason = '[security] this command is irreversible and would erase the disk: mkfs.ext4 /dev/sda1'
const sentence = 'This command is irreversible and would erase the disk'
const command = 'mkfs.ext4 /dev/sda1'
const config = [
  'version: 1',
  'hooks:',
  `  - { id: disks, event: pre_tool_use, matcher: { tool: shell, args: { path: $.command, matches: mkfs } }, run: "echo '${reason}' >&2; exit 2" }`,
  `  - { id: words, event: user_prompt_submit, run: "grep -q forbidden && { echo '[words] not that word' >&2; exit 2; }; exit 0" }`,
].join('\n')

describe('a reason is a sentence and a command box, without its tag', () => {
  it('with --json in fields, beside the reason as it was given', async () => {
    const { run } = workplace({ 'hookline.yaml': config })
    const blocked = linesOf(await run('--json', '--yolo', '--trust', 'all', 'run mkfs.ext4 /dev/sda1'))
    expect(blocked.find(({ type }) => type === 'approval')).toMatchObject({ reason, explanation: sentence, command })
    const refused = linesOf(await run('--json', '--trust', 'all', 'the forbidden word'))
    expect(refused.find(({ type }) => type === 'turn.failed')).toMatchObject({
      reason: '[words] not that word',
      explanation: 'Not that word',
      user_message: 'not that word',
    })
    expect(refused.at(-1)).toMatchObject({ type: 'result', detail: 'not that word' })
  })

  it('with --print on standard error, line by line with --plain, and on the screen', async () => {
    const { run, talk, screen: open } = workplace({ 'hookline.yaml': config })
    const { stderr } = await run('--print', '--yolo', '--trust', 'all', 'run mkfs.ext4 /dev/sda1')
    const shown = `✗ disks blocked shell\n    ${sentence}\n    │ ${command}\n`
    expect(stderr).toContain(shown)
    expect(stderr).not.toContain('[security]')
    const terminal = talk('run mkfs.ext4 /dev/sda1', '--yolo', '--trust', 'all')
    await terminal.sees(shown)
    await terminal.sees(/It said:[\s\S]*› /)
    terminal.types('the forbidden word\r')
    await terminal.sees(/words blocked user_prompt_submit\n {4}Not that word\n/)
    terminal.types('\x04')
    expect((await terminal.ended()).screen).not.toContain('[words]')
    const screen = open(['run mkfs.ext4 /dev/sda1', '--yolo', '--trust', 'all'])
    await screen.shows(shown)
  })
})

it('a question has a badge that says how far it reaches, and a sentence of what is at stake', async () => {
  const { screen: open, talk, cwd } = workplace({ 'data/uploads.db': 'x', 'data/more.db': 'y' })
  execFileSync('git', ['init', '-q', cwd])
  const screen = open(['run rm -rf data'])
  await screen.shows(/╭ \? shell for root ─+ ▲ HIGH · fs-delete ─╮\n│ rm -rf data/)
  await screen.shows(/│ It deletes .*untracked/)
  expect(screen.raw()).toMatch(/\x1b\[31m▲ HIGH · fs-delete/)
  const terminal = talk('run rm -rf data')
  await terminal.sees(/wants to call shell {2}▲ HIGH · fs-delete\n {4}rm -rf data\n[\s\S]*It deletes .*untracked/)
})
