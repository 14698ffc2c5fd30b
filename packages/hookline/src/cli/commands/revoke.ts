import { HooklineError } from '../../core/index.ts'
import { refuseAgents } from '../../person/index.ts'
import { realPath } from '../../platform/index.ts'
import { type Approval, isCalled, openTrust, runOf } from '../../trust/index.ts'
import { defineCommand, texts, UsageError } from '../command.ts'
import { count } from '../text/layout.ts'

export const command = defineCommand({
  name: 'revoke',
  summary: 'Revoke approvals: these hooks no longer run.',
  usage: 'revoke [--config <file>] <id or command> … | --all',
  doc: [
    'Takes effect with the next event, in every process. With --all, damaged approvals are set aside, so that you can',
    'start again.',
  ].join('\n'),
  options: {
    config: { value: 'file', multiple: true, doc: 'Only hooks of this file. Default: hooks of that id in every file.' },
    all: { doc: 'All approvals: of the files that `--config` names, or of all files.' },
    json: { doc: 'Print a list of `{id, file, digest}` of what was revoked.' },
  },
  examples: ['hookline revoke guard', 'hookline revoke --all'],
  exits: {
    1: 'The approvals could not be read or written.',
    2: 'Nothing was approved under that name.',
    64: 'Wrong usage.',
  },
  async run({ values, positionals, output, errors }) {
    const all = values['all'] === true
    if (all === positionals.length > 0)
      throw new UsageError('Name the hooks by their ids or commands, or pass `--all`.')
    refuseAgents()
    const files = texts(values['config']).map(realPath)
    const trust = openTrust()
    let revoked: readonly Approval[] = []
    try {
      const which = { ...(!all && { ids: positionals }), ...(files.length > 0 && { files }) }
      revoked = await trust.revoke(all && files.length === 0 ? 'all' : which)
    } catch (error) {
      if (!all || !(error instanceof HooklineError)) throw error
      const aside = await trust.store.reset()
      errors.write(`${error.notes[0]!.message}\nNow there are none; the old file is ${aside ?? 'gone'}.\n`)
    }
    if (values['json'])
      output.write(
        `${JSON.stringify(revoked.map(({ id, digest, subject }) => ({ id, file: subject.file, digest })))}\n`,
      )
    else
      output.write(
        `Revoked ${count(revoked.length, 'approval')}${revoked.length > 0 ? `: ${revoked.map(({ id }) => id).join(', ')}` : ''}.\n`,
      )
    const missing = positionals.filter((name) => !revoked.some(({ id, subject }) => isCalled(name, id, runOf(subject))))
    if (missing.length > 0) errors.write(`Nothing was approved under \`${missing.join('`, `')}\`.\n`)
    return missing.length > 0 ? 2 : 0
  },
})
