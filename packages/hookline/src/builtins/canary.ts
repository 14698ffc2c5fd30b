import {
  type Builtin,
  type BuiltinExample,
  type Canary,
  type EventName,
  eventRow,
  type Opinion,
} from '../core/index.ts'

/**
 * What a builtin on this event must do: its canary, else the first of its examples there that blocks, or changes
 * something, and needs no world of its own. None: it only watches or adds. Undefined: it may block, and nothing that
 * can be tried here shows it. `plain`: it is used without arguments, as in most examples.
 */
export function canariesOf(builtin: Builtin, args: unknown, plain: boolean, event: EventName): Canary[] | undefined {
  const named = typeof builtin.canary === 'function' ? builtin.canary(args, event) : builtin.canary
  if (named && fits(named, event)) return [named]
  const here = builtin.examples.filter((example) => example.event === event && acts(example.expect))
  const [simple] = here
    .filter(
      ({ given, before, args, fails }) => plain && !given && !before?.some(needsFiles) && args === undefined && !fails,
    )
    .toSorted((one, other) => Number(blocks(other.expect)) - Number(blocks(one.expect)))
  if (simple) return [simple as BuiltinExample & Canary]
  return here.length > 0 ? undefined : []
}

/** A canary holds for every event that decides on the same call: `permission_request` as well as `pre_tool_use`. */
function fits(example: BuiltinExample, event: EventName): example is BuiltinExample & Canary {
  return example.event === event || (eventRow(example.event).asks && eventRow(event).asks)
}

const needsFiles = ({ files }: { files?: object }): boolean => files !== undefined

const blocks = (expect: Partial<Opinion> | undefined): boolean =>
  expect?.halt !== undefined || expect?.decision?.ruling === 'deny' || expect?.decision?.ruling === 'ask'
const acts = (expect: Partial<Opinion> | undefined): boolean => blocks(expect) || expect?.rewrite !== undefined

/** For a builtin that masks something wherever an event can be rewritten: this text in the field that is. */
export function maskedText<E extends EventName>(event: E, title: string, text: string): BuiltinExample<E> {
  const { rewrites = '', fields } = eventRow(event)
  const value = [text, [text], { text }].find((form) => fields[rewrites]?.fits(form))
  const payload = { tool_name: 'shell', tool_input: {}, [rewrites]: value }
  return { title, event, payload: payload as never, expect: { rewrite: {} as never } }
}
