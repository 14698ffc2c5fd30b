import { actionsOf, compilePattern, compileRules, judge, toolNames } from 'hookline/internal'
import { interleave } from './kit/measure.mjs'
import { atLeast, perSecond, rate, row } from './kit/row.mjs'

const programs = 'git npm docker kubectl terraform aws psql rm curl cargo'.split(' ')
const subcommands = 'push publish rm delete apply s3 drop x upload login'.split(' ')

/** A hundred rules: most about commands, some about files and hosts. */
function hundredRules() {
  return Array.from({ length: 100 }, (_, at) => {
    const id = `rule_${at}`
    if (at % 10 === 8) return { id, deny: { read: [`secrets${at}/**`, `**/*.key${at}`] } }
    if (at % 10 === 9) return { id, deny: { fetch: `*.host${at}.example.com` } }
    return { id, deny: { run: `${programs[at % 10]} ${subcommands[(at / 10) | 0]} --flag${at}` } }
  })
}

export default async function ({ quick }) {
  const regex = (source) => compilePattern(source, false).pattern
  const compiled = compileRules(hundredRules(), { base: '/project', home: '/home/me', regex, toolNames: toolNames() })
  const look = { home: '/home/me' }
  const input = { command: 'git push origin feature/x && npm test' }
  const moment = {
    agent: undefined,
    host: 'hookline',
    permissionMode: 'default',
    subagent: false,
    now: new Date(),
    git: undefined,
  }
  const question = {
    ...actionsOf({ tool: 'shell', input, cwd: '/project' }, look),
    names: ['shell'],
    input,
    moment,
    look,
    happened: () => false,
  }
  const { ours } = await interleave({ ours: () => judge(compiled, question) }, { rounds: quick ? 60 : 300, batch: 500 })
  return [
    row({
      what: '100 rules on a command already parsed',
      ours: perSecond(ours, ' decisions'),
      bar: atLeast(100_000, '/s'),
      value: rate(ours.p50),
    }),
  ]
}
