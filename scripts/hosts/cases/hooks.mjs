import { appendFileSync } from 'node:fs'
import { blocked, blockedFor, ran } from './expect.mjs'

/** A hook before every call, which does this when the call is about the guarded file. */
const hook = (name, script, expect = blocked, more = {}) => ({
  name: `a hook ${name}`,
  hook: { event: 'pre_tool_use', script },
  expect,
  ...more,
})
const denies = '{"decision":"deny","reason":"REASON-OF-THE-HOOK"}'
const say = (text) => `printf '%s\\n' '${text}'`
const guard = { id: 'other', event: 'pre_tool_use', script: 'exit 0' }

/** What can go wrong with a hook of the user. Every one guards, so the call must not run but where the hook has nothing against it. */
export const hooks = [
  hook('has nothing to say', 'exit 0', ran),
  hook('denies', say(denies), blockedFor('REASON-OF-THE-HOOK')),
  hook('exits with 2 and a reason', 'echo REASON-BY-EXIT-CODE >&2; exit 2', blockedFor('REASON-BY-EXIT-CODE')),
  hook('exits with 2 and no reason', 'exit 2'),
  hook('denies without a reason', say('{"decision":"deny"}')),
  hook('exits with 1', 'exit 1'),
  hook('exits with 3', 'exit 3'),
  hook('exits with 127', 'exit 127'),
  hook('exits with 255', 'exit 255'),
  hook('is killed', 'kill -9 $$'),
  hook('is terminated', 'kill -15 $$'),
  hook('crashes', 'kill -11 $$'),
  hook('times out', 'sleep 20'),
  hook('times out and ignores signals', "trap '' TERM INT; sleep 20; sleep 20"),
  hook('prints no JSON', say('everything is fine')),
  hook('prints broken JSON', say('{"decision":')),
  hook('prints JSON that is no object', say('["allow"]')),
  hook('prints JSON of another schema', say('{"decision":"maybe"}')),
  hook('prints a line before the JSON', `echo checking; ${say(denies)}`),
  hook('prints a line after the JSON', `${say(denies)}; echo checked`),
  hook('prints two JSON objects', `${say('{}')}; ${say(denies)}`),
  hook('leaves a child that holds its output', `(sleep 20) & ${say(denies)}`),
  hook('never reads its input', `exec <&-; ${say(denies)}`),
  hook('prints 20 MB', "head -c 20000000 /dev/zero | tr '\\0' x"),
  hook('prints bytes that are no text', "printf '\\377\\376{}'"),
  hook('writes much to stderr', `head -c 2000000 /dev/zero | tr '\\0' x >&2; ${say(denies)}`),
  hook('ends the run', say('{"halt":"REASON-OF-THE-HOOK"}'), blocked, { alone: true }),
  hook('is no file', '', blocked, {
    begin: (place) => place.configure({ hooks: [{ ...guard, command: '/nonexistent/guard' }] }),
  }),
  hook('is not approved', '', blocked, { begin: (place) => place.configure({ hooks: [guard] }, { approve: false }) }),
  hook('has changed since it was approved', '', blocked, {
    begin(place) {
      const undo = place.configure({ hooks: [guard] })
      appendFileSync(place.script('other'), '\n# changed\n')
      return undo
    },
  }),
]
