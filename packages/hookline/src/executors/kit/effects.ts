import type { CallEffects, ToolRow } from '../../core/index.ts'
import { type Action, actionsOf } from '../../rules/index.ts'
import { lookDuring } from '../look.ts'

/** What a call would change and run, in the words of rules, for builtins. */
export function effectsOf(
  { tool, input }: { tool: string; input: Readonly<Record<string, unknown>> },
  { cwd, home }: { cwd: string; home: string },
  row: ToolRow | undefined,
  event: object,
): CallEffects {
  const look = lookDuring(event, home)
  const { actions } = actionsOf({ tool, input, cwd }, look, row)
  const wordsAt = (at: number | undefined) => {
    const command = at === undefined ? undefined : actions[at]
    return command?.kind === 'run' ? wordsOf(command) : undefined
  }
  return {
    runs: actions.flatMap((action) => (action.kind === 'run' ? [wordsOf(action)] : [])),
    changes: actions.flatMap((action) =>
      action.kind === 'write' || action.kind === 'delete'
        ? [
            {
              does: action.kind,
              paths: action.paths.filter(({ parts }) => parts.length === 1).map(shown),
              recursive: action.recursive === true,
              by: wordsAt(action.by),
            },
          ]
        : [],
    ),
    tracked: (path) => look.tracked?.(path),
  }
}

/** With the program as it is written: where it lies says what it is. */
function wordsOf({ words, program }: Extract<Action, { kind: 'run' }>): string[] {
  const [first, ...rest] = words.map(shown)
  return [program ?? first ?? '', ...rest]
}

const shown = ({ parts }: { parts: readonly string[] }): string => parts.join('…')
