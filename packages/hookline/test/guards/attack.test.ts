import { describe, expect, it } from 'vitest'
import { analyseCommand, type ShellVerdict } from '../../src/guards/shell/index.ts'
import { attacks, CORES, everyday } from '../support/attack.ts'
import { readCorpus } from '../support/corpus.ts'
import fc from '../support/property.ts'

/** `npm run soak -- attack --seconds 60` sets it; `npm test` draws a fixed number of lines. */
const seconds = Number(process.env['HOOKLINE_ATTACK_SECONDS'] ?? 0)
const bounds = seconds > 0 ? { numRuns: 1_000_000_000, interruptAfterTimeLimit: seconds * 500 } : { numRuns: 1_500 }
const patience = seconds > 0 ? seconds * 1_000 + 60_000 : 60_000

const RADII = ['low', 'medium', 'unknown', 'high']

/** A line that could not be read is asked about by every hook: that is not milder. */
const isMilder = (line: ShellVerdict, core: ShellVerdict): boolean => {
  if (line.verdict !== 'destructive') return true
  return !line.categories.includes('limit') && RADII.indexOf(line.radius) < RADII.indexOf(core.radius)
}

describe('under attack', () => {
  it('every core is destructive by itself', () => {
    expect(CORES.filter((command) => analyseCommand({ command }).verdict !== 'destructive')).toEqual([])
  })

  it(
    'no spelling, wrapper or padding makes a dangerous command milder',
    () => {
      fc.assert(
        fc.property(attacks, ({ core, line }) => {
          expect(isMilder(analyseCommand({ command: line }), analyseCommand({ command: core }))).toBe(false)
        }),
        bounds,
      )
    },
    patience,
  )

  it(
    'ordinary commands are never called destructive, however they are written',
    () => {
      const ordinary = readCorpus('ordinary').map(({ command }) => command)
      const plain = ordinary.filter(
        (command) =>
          !/[\n&|;<>#]|^(?:cd|export|set|alias|exec|exit|source|\.|for|while|until|if|\[|\() ?/.test(command),
      )
      const harmless = plain.filter((command) => analyseCommand({ command }).verdict !== 'destructive')
      fc.assert(
        fc.property(everyday(harmless), ({ line }) => {
          expect(analyseCommand({ command: line }).verdict).not.toBe('destructive')
        }),
        bounds,
      )
    },
    patience,
  )
})

describe('what is nested deeper than the parser follows is never milder', () => {
  const nestings: [open: string, close: string][] = [
    ['if true; then ', '; fi'],
    ['if false; then x; else ', '; fi'],
    ['if ', '; then x; fi'],
    ['case a in a) ', ';; esac'],
    ['for i in 1; do ', '; done'],
    ['while true; do ', '; done'],
    ['{ ', '; }'],
    ['(', ')'],
    ['$(', ')'],
  ]
  it.each(nestings)('%s…%s', (open, close) => {
    for (const deep of [60, 150, 260, 600, 1_500]) {
      const command = `${open.repeat(deep)}rm -rf ~/${close.repeat(deep)}`
      expect(analyseCommand({ command }).verdict, `${deep}`).toBe('destructive')
    }
  })
})
