import { describe, expect, test } from 'vitest'
import { builtins } from '../../src/builtins/index.ts'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld, play } from '../support/world.ts'

const blocks = async (name: string, response: string) =>
  (await askBuiltin(name, 'stop', { response, tool_names: [] }))?.decision?.ruling === 'deny'

describe('verify_publish_claims', () => {
  test.each([
    'Published! Visit https://site.example.com/abc',
    "I've just deployed the app to production.",
    'I have successfully published the package.',
    '✅ Deployed to https://app.example.com/x',
    'Your site is now live at https://pages.example.com/me',
    'The article is now published.',
    'Done! Posted to the team channel.',
    "I've sent the email to Ada.",
    'I sent your message to the group.',
    "I've set a reminder for tomorrow.",
    'I scheduled the weekly report.',
    'I released version 2.0.',
    'Reminder scheduled for 9am.',
    '- I published the draft.',
    '已成功发布到社区。',
  ])('a success that did not happen is caught: %s', async (response) => {
    expect(await blocks('verify_publish_claims', response)).toBe(true)
  })

  test.each([
    'The meeting is scheduled for Monday.',
    "I've set the variable to 3.",
    'I can publish it whenever you want.',
    "I'll publish it once the tests pass.",
    'Should I say that I published it?',
    'I have not published anything yet.',
    "I haven't deployed it.",
    'The book was published in 1999.',
    'It failed before I published it.',
    'Run `I published it` to see.',
    '> I published the site.',
    '```\nI published the site.\n```',
    'The log says "I published the site" but that is old.',
    '| step | I published it |',
    'To publish it, run npm publish.',
    'Once you have posted it, tell me.',
    'The post was popular.',
    'I released the lock and launched the browser.',
    'React 19 is released under the MIT license.',
  ])('what is no claim passes: %s', async (response) => {
    expect(await blocks('verify_publish_claims', response)).toBe(false)
  })

  test('after two blocks the user gets a message instead', async () => {
    const world = makeWorld()
    const payload = { response: 'Published!', tool_names: [] }
    const stop = { event: 'stop' as const, payload }
    const opinion = await play(
      builtins['verify_publish_claims']!,
      { title: '', before: [stop, stop], ...stop, expect: undefined },
      world,
    )
    expect(opinion?.decision).toBeUndefined()
    expect(opinion?.message?.[0]).toContain('could not be verified')
    world.remove()
  })

  test('without records and without tool names from the host, nothing is concluded', async () => {
    expect(await askBuiltin('verify_publish_claims', 'stop', { response: 'Published!' })).toBeUndefined()
  })

  test('a recorded session without any action is denied its claim', async () => {
    const world = makeWorld()
    const before = [{ event: 'session_start' as const, payload: {} }]
    const example = {
      title: '',
      before,
      event: 'stop' as const,
      payload: { response: 'Published!' },
      expect: undefined,
    }
    expect((await play(builtins['verify_publish_claims']!, example, world))?.decision?.ruling).toBe('deny')
    world.remove()
  })

  test('a tool that failed proves nothing', async () => {
    const world = makeWorld()
    const failed = { tool_name: 'publish_site', tool_input: {}, tool_error: true }
    const before = [{ event: 'post_tool_use' as const, payload: failed }]
    const example = {
      title: '',
      before,
      event: 'stop' as const,
      payload: { response: 'Published!' },
      expect: undefined,
    }
    expect((await play(builtins['verify_publish_claims']!, example, world))?.decision?.ruling).toBe('deny')
    world.remove()
  })

  test('a command can be the registry', async () => {
    const args = { registries: [{ command: ['printf', 'https://a.example.com/known-page'] }] }
    const ask = (url: string) =>
      askBuiltin('verify_publish_claims', 'stop', { response: `I published it at ${url}.`, tool_names: [] }, args)
    expect(await ask('https://a.example.com/known-page')).toBeUndefined()
    expect((await ask('https://a.example.com/other-page'))?.decision?.reason).toContain('is not in the registry')
  })

  test('a registry that cannot be read is a failure, not a proof', async () => {
    const args = { registries: [{ command: ['false'] }] }
    const run = askBuiltin('verify_publish_claims', 'stop', { response: 'I published it.', tool_names: [] }, args)
    await expect(run).rejects.toMatchObject({ kind: 'exit' })
  })

  test('a reply that cannot be sent back gets an honest line', async () => {
    const opinion = await askBuiltin('verify_publish_claims', 'on_response_end', {
      response: 'Published!',
      tool_names: [],
    })
    expect(opinion?.rewrite).toEqual({
      mode: 'replace',
      value: 'Published!\n\n⚠️ Not verified: no tool call of this session shows that anything was published.',
    })
  })
})

describe('verify_commitments', () => {
  test.each([
    "I'll remind you tomorrow.",
    'I will let you know when the build finishes.',
    "I'll keep an eye on the logs.",
    'We will check back later today.',
    "I'm going to follow up on Friday with the results.",
    "I'll get back to you soon.",
    '我会继续监控价格。',
  ])('a promise nothing will keep is caught: %s', async (response) => {
    expect(await blocks('verify_commitments', response)).toBe(true)
  })

  test.each([
    'The app will notify you when the upload is done.',
    'The cron will remind you later.',
    'I can remind you tomorrow if you like.',
    "If you want, I'll remind you tomorrow.",
    "Would you like that I'll remind you tomorrow?",
    'I will use a map here.',
    "I'll monitor",
    'GitHub will email you once it is merged.',
    "Let me know when you are back and I'll check again.",
  ])('what is no promise passes: %s', async (response) => {
    expect(await blocks('verify_commitments', response)).toBe(false)
  })
})

describe('verify_code_changes', () => {
  const stopAfter = async (...calls: [string, Record<string, unknown>][]) => {
    const world = makeWorld()
    const before = calls.map(([tool_name, tool_input]) => ({
      event: 'post_tool_use' as const,
      payload: { tool_name, tool_input },
    }))
    const example = { title: '', before, event: 'stop' as const, payload: {}, expect: undefined }
    const opinion = await play(builtins['verify_code_changes']!, example, world)
    world.remove()
    return opinion?.decision?.ruling
  }
  const edit: [string, Record<string, unknown>] = ['Edit', { file_path: 'a.py' }]
  const shell = (command: string): [string, Record<string, unknown>] => ['Bash', { command }]

  test.each([
    'pytest -q',
    'python a.py',
    'make test',
    'cd x && go test ./...',
    './run.sh',
    'NODE_ENV=test npm run check',
    'timeout 60 cargo test',
  ])('%s proves the edit', async (command) => expect(await stopAfter(edit, shell(command))).toBeUndefined())
  test.each(['git status', 'cat a.py', 'ls', 'grep python a.py', 'echo "pytest"', 'git commit -m "python fix"'])(
    '%s does not',
    async (command) => expect(await stopAfter(edit, shell(command))).toBe('deny'),
  )
  test('a run before the edit does not count', async () => {
    expect(await stopAfter(shell('pytest'), edit)).toBe('deny')
  })
  test('the same edits are mentioned once', async () => {
    const world = makeWorld()
    const before = [
      { event: 'post_tool_use' as const, payload: { tool_name: 'Edit', tool_input: { file_path: 'a.py' } } },
      { event: 'stop' as const, payload: {} },
    ]
    const example = { title: '', before, event: 'stop' as const, payload: {}, expect: undefined }
    expect(await play(builtins['verify_code_changes']!, example, world)).toBeUndefined()
    world.remove()
  })
})
