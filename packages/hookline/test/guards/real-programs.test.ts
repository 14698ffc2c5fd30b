import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../src/guards/shell/index.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'

/**
 * What the analysis makes of a line, and what the real programs make of it: lines drawn at random, of pieces that open,
 * close, quote, label and begin something else. `npm run soak -- attack` draws for as long as it is told.
 */
const seconds = Number(process.env['HOOKLINE_ATTACK_SECONDS'] ?? 0)
const rounds = seconds > 0 ? { numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 250 } : { numRuns: 2 }
const patience = seconds > 0 ? seconds * 1_000 + 60_000 : 60_000
const perRound = 80

const split = (pieces: string): string[] => pieces.replaceAll('＄{', '\x24{').split('␣')
/** Every trap leaves a file `sprung`. */
const SHELL = split(
  "touch sprung␣$(touch sprung)␣`touch sprung`␣\"␣'␣$'␣\\␣\n␣;␣|␣&␣&&␣||␣ ␣ ␣ # ␣(␣)␣{ ␣ }␣((␣))␣[[ ␣ ]]␣[ ␣<<E\n␣<<-E\n␣<<'E'\n␣E\n␣<<<␣<(␣>(␣< f␣> /dev/null␣" +
    '＄{a␣}␣＄{a:-␣＄{a:=␣＄{a@P}␣＄{a[␣＄{!a}␣$((␣a[␣a=␣a+=␣a=(␣declare ␣local ␣export ␣eval ␣echo ␣cat ␣ls ␣true ␣test ␣-v ␣printf ␣read a ␣if ␣then ␣fi ␣case a in ␣a) ␣;; ␣esac ␣for i in ␣' +
    'do ␣done ␣while ␣function f ␣f() ␣f ␣alias l=␣l ␣shopt -s expand_aliases\n␣set -- ␣"$@"␣$a ␣!␣time ␣coproc ␣command ␣exec ␣trap ␣ EXIT␣~␣{a,b}␣*␣=␣$␣$"␣x=y ␣IFS=p ␣let ␣unset ␣mapfile -C ␣\\\n␣env ␣-S␣xargs ␣-I{} ␣{}␣sh -c ',
)
const SED = split(
  'w sprung␣W sprung␣e touch sprung␣e␣s␣/␣/␣[␣]␣[^␣\\␣\\n␣\n␣;␣{␣}␣!␣1␣$␣,␣~␣+␣a␣i␣c␣a\\␣y␣b␣t␣:␣:a␣p␣d␣n␣N␣D␣l␣q␣r f␣=␣I␣M␣g␣#␣ ␣|␣&␣s/a/b/␣s,a,touch sprung,␣\t␣z␣F␣v␣0␣*␣.␣^␣(␣)␣\\/␣\\c',
)
const AWK = split(
  '"␣"␣/␣/␣|␣"touch sprung"␣> "sprung"␣>> "sprung"␣print ␣printf ␣system("touch sprung")␣system␣(␣)␣{␣}␣;␣\n␣\\␣#␣$1␣1␣x␣=␣~␣!~␣&&␣||␣!␣,␣BEGIN␣END␣getline␣a["␣"]␣[␣]␣+␣-␣++␣*␣%␣?␣:␣length ␣function f(a)␣f(␣' +
    'return ␣next␣if(␣else ␣while(␣@␣ ␣\t␣>␣<␣==␣sub(␣split(␣$NF␣-1␣.5␣print 1 | "touch sprung"',
)
const asWord = (text: string): string => `'${text.replaceAll("'", '')}'`

describe('what is called safe runs, writes and sends nothing, in the real program', () => {
  test.each<[string, string[], (text: string) => string]>([
    ['bash', SHELL, (text) => text],
    ['sed', SED, (text) => `sed ${asWord(text)} f`],
    ['awk', AWK, (text) => `awk ${asWord(text)} f`],
  ])(
    '%s',
    (_, pieces, written) => {
      const lines = fc
        .array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 14 })
        .map((each) => written(each.join('')))
      fc.assert(
        fc.property(fc.array(lines, { minLength: perRound, maxLength: perRound }), (drawn) => {
          const safe = drawn.filter((command) => /sprung/.test(command) && isSafe(command))
          expect(sprungBy(safe)).toEqual([])
        }),
        // A smaller round shows the same line: it is named already.
        { ...rounds, endOnFailure: true },
      )
    },
    patience,
  )
})

const isSafe = (command: string): boolean =>
  analyseCommand({ command, cwd: '/home/ada/app', home: '/home/ada' }).verdict === 'safe'

/** Runs each in a directory of its own kind, and gives back those that sprang the trap. */
function sprungBy(commands: readonly string[]): string[] {
  if (commands.length === 0) return []
  const place = scratch({ 'work/f': 'a\nb\ntouch sprung\n' })
  for (const [at, command] of commands.entries()) writeFileSync(join(place, `${at}`), command)
  const run = join(place, 'run')
  writeFileSync(
    run,
    `cd '${place}/work' || exit 1
for i in $(seq 0 ${commands.length - 1}); do
  timeout 5 bash -c "$(cat '${place}'/$i)" </dev/null >/dev/null 2>&1
  [ -e sprung ] && echo $i >> '${place}/result' && rm -rf sprung
done
true
`,
  )
  chmodSync(run, 0o755)
  writeFileSync(join(place, 'result'), '')
  const { status } = spawnSync('bash', [run], { env: { PATH: process.env['PATH'] ?? '', HOME: join(place, 'work') } })
  expect(status).toBe(0)
  const sprung = readFileSync(join(place, 'result'), 'utf8').split('\n').filter(Boolean)
  return sprung.map((at) => commands[Number(at)] as string)
}
