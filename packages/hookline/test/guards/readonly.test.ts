import { describe, expect, it, test } from 'vitest'
import { sensitivePlaces } from '../../src/guards/paths/index.ts'
import { analyseCommand, analyseIf } from '../../src/guards/shell/index.ts'
import { notSafe, ordinary } from './readonly-cases.ts'

const where = { cwd: '/home/ada/app', home: '/home/ada' }
const verdictOf = (command: string) => analyseCommand({ command, ...where }).verdict

describe('“safe” means that it runs nothing of the workspace, sends nothing and shows no credentials', () => {
  it.each(notSafe)('%s', (command) => expect(verdictOf(command)).not.toBe('safe'))
})

test('ordinary looking around is safe', () => {
  const others = ordinary.filter((command) => verdictOf(command) !== 'safe')
  expect(others.slice(0, 20)).toEqual([])
})

describe('an option cannot hide in the value of another', () => {
  const shown = ['git diff --stat', 'git log --pretty', 'git grep --color', 'sort --key', 'rg --type', 'head --lines']
  const acts = ['--output=x', '--ext-diff', '-O./x', '--compress-program=./x', '--pre=./x', '--help']
  it.each(shown.flatMap((start) => acts.map((act) => `${start} ${act} f`)))('%s', (command) =>
    expect(verdictOf(command)).not.toBe('safe'),
  )
})

describe('what the path guard knows as credentials, commands do not show either', () => {
  const credentials = sensitivePlaces
    .filter(({ access, what }) => access === 'both' && /credential|keys?$|logins|password|wallet|secrets/i.test(what))
    .flatMap(({ paths }) => paths)
    .filter((path) => !/^an agent|[*?]/.test(path))
    .map((path) => (path.startsWith('/') ? path : `/home/ada/${path}`).replace(/\/$/, '/file'))
  it.each([...new Set(credentials)])('%s', (path) => expect(verdictOf(`cat '${path}'`)).not.toBe('safe'))
})

describe('git is safe in the repository at hand, and elsewhere only for who has looked', () => {
  it.each(['git -C sub status', 'cd sub && git status', '(cd sub; git log)'])('%s', (command) => {
    expect(verdictOf(command)).not.toBe('safe')
    expect(analyseIf({ command, ...where })).toMatchObject({
      verdict: { verdict: 'safe' },
      repositories: ['/home/ada/app/sub'],
    })
  })
  test('git status', () => {
    expect(verdictOf('git status')).toBe('safe')
    expect(analyseIf({ command: 'git status', ...where }).repositories).toEqual([where.cwd])
  })
})
