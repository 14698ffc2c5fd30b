import { appendFileSync } from 'node:fs'
import { blocked, blockedFor, ran } from './expect.mjs'

/** A hook before every call, which does this when the call is about the guarded file. */
const hook = (name, script, expect = blocked, more = {}) => ({
  name: `a hook ${name}`,
  hooks: [{ id: 'guard', event: 'pre_tool_use', script, ...more.hook }],
  expect,
  ...more,
})
const denies = '{"decision":"deny","reason":"REASON-OF-THE-HOOK"}'
const say = (text) => `printf '%s\\n' '${text}'`

/** What can go wrong with a hook of the user. Every one guards, so the call must not run but where the hook has nothing against it. */
export const hooks = [
  hook('has nothing to say', 'exit 0', ran),
  hook('denies', say(denies), blockedFor('REASON-OF-THE-HOOK')),
  hook('exits with 2 and a reason', 'echo REASON-OF-THE-HOOK >&2; exit 2', blockedFor('REASON-OF-THE-HOOK')),
  hook('exits with 2 and no reason', 'exit 2'),
  hook('denies without a reason', say('{"decision":"deny"}')),
  hook('ends the run', say('{"halt":"REASON-OF-THE-HOOK"}')),
  hook('exits with 1', 'exit 1'),
  hook('exits with 3', 'exit 3'),
  hook('exits with 255', 'exit 255'),
  hook('is killed', 'kill -9 $$'),
  hook('is terminated', 'kill -15 $$'),
  hook('times out', 'sleep 20', blocked, { hook: { timeout: '1s' } }),
  hook('times out and ignores signals', "trap '' TERM INT; sleep 20; sleep 20", blocked, { hook: { timeout: '1s' } }),
  hook('prints no JSON', say('everything is fine')),
  hook('prints broken JSON', say('{"decision":')),
  hook('prints JSON that is no object', say('["allow"]')),
  hook('prints JSON of another schema', say('{"decision":"maybe"}')),
  hook('prints a line before the JSON', `echo checking; ${say(denies)}`),
  hook('prints a line after the JSON', `${say(denies)}; echo checked`),
  hook('prints two JSON objects', `${say('{}')}; ${say(denies)}`),
  hook('leaves a child that holds its output', `(sleep 20) & ${say(denies)}`, blockedFor('REASON-OF-THE-HOOK')),
  hook('never reads its input', `exec <&-; ${say(denies)}`, blockedFor('REASON-OF-THE-HOOK')),
  hook('prints 20 MB', "head -c 20000000 /dev/zero | tr '\\0' x"),
  hook('writes much to stderr', `head -c 2000000 /dev/zero | tr '\\0' x >&2; ${say(denies)}`, blockedFor('REASON')),
  hook('is no file', 'exit 0', blocked, { hook: { command: '/nonexistent/guard' } }),
  hook('is not approved', 'exit 0', blocked, { approve: false }),
  hook('has changed since it was approved', 'exit 0', blocked, {
    break: ({ script }) => appendFileSync(script('guard'), '\n# changed\n'),
  }),
]
