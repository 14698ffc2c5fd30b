import { withParams } from '../state.ts'
import { baseName } from './words.tsx'

/** From the strongest to the weakest: no layer weakens what stands before it. */
const layers = [
  ['managed', 'by the administrator of this machine'],
  ['user', 'everywhere, for you'],
  ['project', 'in this project, for everybody'],
  ['local', 'in this project, for you'],
  ['session', 'in one session'],
  ['code', 'by the program that runs the agent'],
] as const

interface Member {
  key: string
  id: string
  layer: string
  file: string | null
  line: number | null
  sign: string
  mark: string
  word: string
  about: string
  /** Where it is edited. */
  href?: string
}

/** Who says what, side by side. A layer that says nothing is there too, so that one sees that it does not. */
export function Layers({ members, open }: { members: readonly Member[]; open: string }) {
  const shown = layers.filter(([name], at) => at < 4 || members.some(({ layer }) => layer === name))
  return (
    <div class="layers">
      {shown.map(([name, means], at) => {
        const own = members.filter(({ layer }) => layer === name)
        return (
          <section key={name} aria-labelledby={`layer-${name}`}>
            <h2 id={`layer-${name}`}>
              {at + 1}. {name} <span class="dim">{means}</span>
            </h2>
            {own.length === 0 && <p class="dim">says nothing</p>}
            <ul class="plain">
              {own.map((each) => (
                <li key={each.key} class={each.key === open ? 'chosen' : ''}>
                  <span class={`sign ${each.mark}`} aria-hidden="true">
                    {each.sign}
                  </span>{' '}
                  {each.word} {each.href === undefined ? <strong>{each.id}</strong> : <a href={each.href}>{each.id}</a>}
                  <div class="code wrap">{each.about}</div>
                  <div class="dim" title={each.file ?? ''}>
                    {each.file && `${baseName(each.file)}:${each.line}`}
                  </div>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

/** Switches between the two ways to see the same. */
export function Views({ view }: { view: string }) {
  return (
    <nav class="tabs" aria-label="How to show them">
      {(['list', 'layers'] as const).map((each) => (
        <a key={each} class="tab" aria-current={(view === 'layers') === (each === 'layers') ? 'true' : undefined} href={withParams({ view: each === 'list' ? null : each })}>
          {each === 'list' ? 'List' : 'Layers'}
        </a>
      ))}
    </nav>
  )
}
