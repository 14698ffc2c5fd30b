import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Screen, says, typesCode } from './screen.ts'
import { workplace } from './support.ts'

const config = [
  'version: 1',
  'hooks:',
  '  - { id: guard, event: pre_tool_use, matcher: { tool: shell }, run: ./guard.sh }',
  '  - { id: notes, event: stop, run: echo }',
].join('\n')

async function runs(screen: Screen, command: string): Promise<void> {
  await says(screen, `run ${command}`)
}

it('/hooks lists what waits, approves it with proof of a person, tests it, turns it off and on, and takes the approval back', async () => {
  const { screen: open, cwd } = workplace({ 'hookline.yaml': config })
  writeFileSync(join(cwd, 'guard.sh'), '#!/bin/sh\necho ran >> seen\n', { mode: 0o755 })
  const state = join(cwd, '../state')
  const screen = open(['--yolo'], { env: { XDG_STATE_HOME: state }, rows: 70 })
  await screen.shows('Approve them, and remember that?')
  screen.types('n\r')
  await runs(screen, 'touch one')
  await screen.shows(/✗ Blocked: Nobody has approved a hook/)
  expect(existsSync(join(cwd, 'one'))).toBe(false)

  await says(screen, '/hooks')
  await screen.shows(/guard ✗ not approved\n {2}pre_tool_use[\s\S]*2 not approved \(\/hooks approve\)/)
  await says(screen, '/hooks approve nothing-of-that-name')
  await screen.shows('Nothing that waits is called `nothing-of-that-name`. There are: guard, notes.')
  // Starchild writes the event before the command.
  await says(screen, '/hooks approve pre_tool_use ./guard.sh')
  await screen.shows(/guard\.sh[\s\S]*Approve guard\? \[y\/N\]/)
  screen.types('n\r')
  await screen.shows('Not approved: guard.')
  await says(screen, '/hooks approve guard')
  await screen.shows('Approve guard? [y/N]')
  screen.types('y\r')
  await typesCode(screen)
  await screen.shows('✓ Approved guard.')
  await runs(screen, 'touch two')
  await screen.shows(/● shell {2}touch two\n {2}\(no output\)/)
  expect([existsSync(join(cwd, 'two')), existsSync(join(cwd, 'seen'))]).toEqual([true, true])

  await says(screen, '/hooks doctor')
  await screen.shows(/guard +pre_tool_use .* answered[\s\S]*the project\s+itself\s+is\s+untouched/)
  await says(screen, '/hooks off guard')
  await screen.shows('`guard` is off until the session ends.')
  await says(screen, '/hooks list')
  await screen.shows('guard (off)')
  await says(screen, '/hooks on guard')
  await screen.shows('`guard` is on.')
  await says(screen, '/hooks off')
  await screen.shows(/\d+ hooks are off until the session ends\./)
  await says(screen, '/hooks on')
  await screen.shows(/\d+ hooks are on\./)
  await says(screen, '/hooks help')
  await screen.shows(/\/hooks approve \[\[event\] <id or command>\] +Show what a hook would run/)
  await says(screen, '/hooks aprove')
  await screen.shows('Did you mean `approve`?')

  await says(screen, '/hooks revoke guard')
  await screen.shows('Revoked 1 approval: guard.')
  await runs(screen, 'touch three')
  await screen.shows(/● shell {2}touch three\n {2}✗ Blocked/)
  expect(existsSync(join(cwd, 'three'))).toBe(false)

  await says(screen, '/mode')
  await screen.shows('The permission mode is yolo.')
  await says(screen, '/mode plan')
  await screen.shows('The permission mode is plan.')
  await says(screen, '/mode whatever')
  await screen.shows('`/mode` takes plan, default, accept-edits, yolo.')
})

it('with --plain, /hooks approve asks line by line', async () => {
  const { talk, cwd } = workplace({ 'hookline.yaml': config, 'guard.sh': '' })
  writeFileSync(join(cwd, 'guard.sh'), '#!/bin/sh\necho ran >> seen\n', { mode: 0o755 })
  const terminal = talk('--yolo')
  await terminal.sees('remember that?')
  terminal.types('n\r')
  await terminal.sees('› ')
  terminal.types('/hooks approve guard\r')
  await terminal.sees('Approve guard? [y/N]')
  terminal.types('y\r')
  await terminal.sees('✓ Approved guard.')
  terminal.types('run touch made\r')
  await terminal.sees('It said:')
  expect([existsSync(join(cwd, 'made')), existsSync(join(cwd, 'seen'))]).toEqual([true, true])
})

it('what is typed while a command works is prompted when that has ended', async () => {
  const slow = 'version: 1\nhooks:\n  - { id: slow, event: stop, run: sleep 1 }\n'
  const { talk } = workplace({ 'hookline.yaml': slow })
  const terminal = talk('--trust', 'all')
  await terminal.sees('› ')
  terminal.types('/hooks doctor\r')
  await terminal.sees('/hooks doctor')
  terminal.types('hello there\r')
  await terminal.sees(/untouched[\s\S]*You said: hello there/)
})
