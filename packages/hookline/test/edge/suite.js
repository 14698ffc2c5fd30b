/**
 * The laws of `hookline/edge`, in plain JavaScript without imports: it runs in Node, in an edge runtime and in Bun. Gives
 * back what failed, law by law. `url` answers a POST with `{"decision":"deny","reason":"The server says no."}`.
 */
// biome-ignore lint/correctness/noUnusedVariables: its text is evaluated elsewhere
async function suite(hookline, url) {
  const { createHooks, memoryJournal, redactText } = hookline
  const failed = []
  const call = (tool_name, tool_input) => ({ session_id: 's', tool_name, tool_input })
  const law = async (name, options, check) => {
    try {
      const hooks = await createHooks(options)
      try {
        const wrong = await check(hooks)
        if (wrong) failed.push(`${name}: ${JSON.stringify(wrong)}`)
      } finally {
        await hooks.close()
      }
    } catch (error) {
      failed.push(`${name}: ${error.stack ?? error}`)
    }
  }
  const unless = (holds, seen) => (holds ? undefined : (seen ?? 'no'))

  const rules = [{ id: 'no-force', deny: { run: 'git push --force' }, because: 'Not here.' }]
  await law('a rule sees through wrappers', { rules }, async (hooks) => {
    const command = "sudo bash -c 'git push origin main --force'"
    const { decision } = await hooks.raise('pre_tool_use', call('shell', { command }))
    const milder = await hooks.raise('pre_tool_use', call('shell', { command: 'git push --force-with-lease' }))
    return unless(decision?.ruling === 'deny' && milder.decision === undefined, decision)
  })

  await law('deny wins over allow, and the tool does not run', {}, async (hooks) => {
    hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } }))
    hooks.on('pre_tool_use', { tool: 'refund' }, () => ({ decision: { ruling: 'deny', reason: 'No.' } }))
    let ran = false
    const refused = await hooks.guardTool(call('refund', {}), async () => {
      ran = true
    })
    const other = await hooks.guardTool(call('look', {}), async () => 'seen')
    return unless(refused.reason === 'No.' && !ran && other.output === 'seen', [refused, other])
  })

  await law('guards judge what hooks have rewritten', { rules }, async (hooks) => {
    hooks.on('pre_tool_use', ({ payload }) => ({
      rewrite: { mode: 'merge', value: { command: `${payload.tool_input.command} --force` } },
    }))
    const { outcome } = await hooks.guardTool(call('shell', { command: 'git push' }), async () => 'pushed')
    return unless(outcome === 'refused', outcome)
  })

  const key = ['ghp', 'x7Kd92LmPq0RtVwYz3BnCfGh5JsA8eUi1oTk'].join('_')
  await law('a function redacts a result with the guards', { journal: memoryJournal() }, async (hooks) => {
    hooks.on('tool_response_transform', ({ payload }) => ({
      rewrite: { mode: 'replace', value: redactText(String(payload.tool_response)).redacted },
    }))
    const { output } = await hooks.guardTool(call('look', {}), async () => `key ${key}`)
    const texts = []
    for await (const entry of hooks.journal.entries()) texts.push(JSON.stringify(entry))
    return unless(!output.includes(key) && texts.length > 0 && !texts.join('').includes(key), [output, texts])
  })

  await law('a hook that throws or takes too long refuses', {}, async (hooks) => {
    hooks.on('pre_tool_use', { tool: 'one' }, () => {
      throw new Error('broken')
    })
    hooks.on('pre_tool_use', { tool: 'two' }, () => new Promise(() => {}), { timeout: '50ms' })
    const outcomes = []
    for (const tool of ['one', 'two']) outcomes.push((await hooks.guardTool(call(tool, {}), async () => 1)).outcome)
    return unless(outcomes.join() === 'refused,refused', outcomes)
  })

  await law('an approval counts once, for one input', { rules: [{ ask: { run: 'npm publish' } }] }, async (hooks) => {
    const given = call('shell', { command: 'npm publish' })
    const asked = await hooks.judgeTool(given)
    const token = await asked.keep()
    const altered = await hooks.judgeTool(call('shell', { command: 'npm publish --force' }), { approval: token })
    const first = await hooks.judgeTool(given, { approval: token })
    const outcomes = [asked.outcome, altered.outcome, first.outcome]
    const again = (await hooks.judgeTool(given, { approval: token })).outcome
    return unless(outcomes[0] === 'asks' && outcomes[1] === 'refused' && again === 'refused', [...outcomes, again])
  })

  const http = { id: 'remote', event: 'pre_tool_use', run: { type: 'http', url, allow_local: true } }
  await law('an http hook decides', { hooks: [http] }, async (hooks) => {
    const { decision } = await hooks.raise('pre_tool_use', call('look', {}))
    return unless(decision?.ruling === 'deny' && decision.reason.includes('The server says no.'), decision)
  })

  for (const [what, options] of [
    ['A hook of type `command`', { hooks: [{ id: 'c', event: 'stop', run: 'true' }] }],
    ['`use`', { use: ['security'] }],
    ['config file', { config: 'hookline.yaml' }],
    ['A journal in a file', { journal: { file: 'journal.jsonl' } }],
  ]) {
    const message = await createHooks(options).then(
      () => 'nothing was refused',
      (error) => error.message,
    )
    if (!message.includes(what) || !message.includes('edge runtime')) failed.push(`${what}: ${message}`)
  }
  return failed
}
