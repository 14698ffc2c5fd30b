/** Settings of git that a line brings along: they change what the verbs do. */
import { spend } from '../budget.ts'
import type { Field } from '../text.ts'
import type { Call, State } from '../types.ts'

/** What a setting is for this call: by `-c`, by the environment, or because this line has set it. */
export function settingOf(call: Call, key: string): string | undefined {
  return settingsOf(call).findLast(([name]) => name.toLowerCase() === key)?.[1]
}

/** `GIT_CONFIG_COUNT` with its keys and values, `GIT_CONFIG_PARAMETERS`, and `git config` earlier in the line. */
export function settingsOf({ state, run }: Call): [name: string, value: string][] {
  spend(run, state.variables.size >> 3)
  const read = (name: string) => state.variables.get(name)?.[0]?.text
  const quoted = [...(read('GIT_CONFIG_PARAMETERS') ?? '').matchAll(/'([^'=]+)'?='?([^']*)'/g)]
  const counted = Math.min(Number(read('GIT_CONFIG_COUNT') ?? 0) || 0, MOST_SETTINGS)
  const numbered = Array.from({ length: counted }, (_, at): [string, string] => [
    read(`GIT_CONFIG_KEY_${at}`) ?? '',
    read(`GIT_CONFIG_VALUE_${at}`) ?? '',
  ])
  const configured = [...state.variables]
    .filter(([name]) => name.startsWith(CONFIGURED))
    .map(([name, [value]]): [string, string] => [name.slice(CONFIGURED.length), value?.text ?? ''])
  return [...configured, ...quoted.map(([, name = '', value = '']): [string, string] => [name, value]), ...numbered]
}

/** What `git config` sets is kept among the variables, under a name that no variable can have. */
const CONFIGURED = 'git config '
const MOST_SETTINGS = 64

export function rememberSetting(key: string, value: Field, state: State): void {
  state.variables.set(`${CONFIGURED}${key}`, [value])
}
