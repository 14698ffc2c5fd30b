import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { binary } from '../../../hookline/test/support/cli.ts'
import { openScreen, ready, says } from './screen.ts'
import { linesOf, workplace } from './support.ts'

it('is there for the first prompt, suspends and comes back, begins lines by Shift+Enter, and clears', async () => {
  const hooks = 'version: 1\nhooks: [{ id: waits, event: on_user_input, run: echo waits >> waiting }]\n'
  const { cwd, env } = workplace({ 'hookline.yaml': hooks })
  const command = `"${process.execPath}" "${binary}" run --rehearse ../script.yaml --trust all`
  // A shell with job control: what Ctrl+Z stops, `fg` brings back.
  const program = ['/bin/bash', '--norc', '--noprofile', '-i'] as const
  const screen = openScreen([], { cwd, env: { ...env, PS1: 'shell> ' }, program })
  await screen.shows('shell>')
  screen.types(`${command}\r`)
  await screen.shows(ready)
  // Nobody has typed anything yet.
  await expect.poll(() => existsSync(join(cwd, 'waiting'))).toBe(true)
  await says(screen, 'before')
  await screen.shows('You said: before')
  screen.types('half a line')
  await screen.shows('half a line')
  screen.types('\x1a')
  await screen.shows(/Stopped/)
  screen.types('echo in the shell\r')
  await screen.shows(/^in the shell$/m)
  screen.types('fg\r')
  // It draws on an empty screen; until then the picture from before it stopped is still there.
  await screen.hides('in the shell')
  await screen.shows(/─\nhalf a line\s*\n─/)
  // As terminals send Shift+Enter: kitty's protocol, and xterm's.
  screen.types('\x1b[13;2u')
  screen.types('and another')
  screen.types('\x1b[27;2;13~')
  // Enter that comes in one read with a key sequence may be taken for a part of it.
  screen.types('and a third')
  await screen.shows('and a third')
  screen.types('\r')
  await screen.shows(/› half a line\n {2}and another\n {2}and a third\n\nYou said: half a line/)
  await says(screen, '/clear')
  await screen.hides('You said')
  await says(screen, 'after')
  await screen.shows('You said: after')
  expect(screen.lines().join('\n')).not.toContain('half a line')
  await says(screen, '/quit')
  await screen.shows(/Kept\. Go on with[\s\S]*shell>/)
})

it('--attach sends a picture with the prompt; hooks see its name, type and size', async () => {
  const hooks = 'version: 1\nhooks: [{ id: see, event: user_prompt_submit, run: cat > seen.json }]\n'
  const { run, cwd } = workplace({ 'hookline.yaml': hooks })
  writeFileSync(join(cwd, 'a.png'), Buffer.from('89504e470d0a1a0a', 'hex'))
  const { exit, ...done } = await run('--json', '--trust', 'all', '--attach', 'a.png', 'look')
  expect(exit).toBe(0)
  expect(linesOf({ exit, ...done }).at(-1)).toMatchObject({ type: 'result', reason: 'normal' })
  expect(JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'))).toMatchObject({
    prompt: 'look',
    attachments: [{ name: 'a.png', media_type: 'image/png', bytes: 8 }],
  })
  const missing = await run('--json', '--attach', 'b.png', 'look')
  expect([missing.exit, missing.stderr]).toEqual([64, expect.stringContaining('There is no file b.png to attach.')])
})
