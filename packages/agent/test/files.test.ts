import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missing, scratch } from '../../hookline/test/support/scratch.ts'
import { loadRehearsal, loadTeam, openModels, rehearsalsBeside } from '../src/index.ts'
import { replyText, userRequest } from './models/collect.ts'

const fileWith = (text: string) => join(scratch({ 'it.yaml': text }), 'it.yaml')

test('a script that an agent file names lies beside it', async () => {
  const directory = scratch({
    'agent.yaml': 'agents: { root: { model: rehearsal/scripts/tour.yaml } }',
    'scripts/tour.yaml': 'rehearsal: 1\nname: tour\ndefault: { say: Welcome. }\n',
  })
  const { team } = await loadTeam(join(directory, 'agent.yaml'), {})
  const openModel = openModels({ team, env: {}, loadRehearsal: rehearsalsBeside(team.file) })
  expect(await replyText(await openModel(team.agents['root']!.models[0]!), userRequest('hi'))).toBe('Welcome.')
})

test('a missing file, or one that is not YAML, is an error', async () => {
  await expect(loadTeam(missing('agent.yaml'))).rejects.toMatchObject({ code: 'config-missing' })
  await expect(loadTeam(fileWith('agents: { root: ['))).rejects.toMatchObject({ code: 'config-syntax' })
  await expect(loadRehearsal(fileWith('rehearsal: 1\nturn: []'))).rejects.toThrow(
    /it\.yaml:2:1: .*Did you mean `turns`/,
  )
})
