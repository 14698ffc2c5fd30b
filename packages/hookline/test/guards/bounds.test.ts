import { describe, expect, it, test } from 'vitest'
import { analyseCommand, MOST_STEPS, stepsOf } from '../../src/guards/shell/index.ts'
import fc from '../support/property.ts'

const longest = 131_072
const judge = (command: string) => analyseCommand({ command, cwd: '/home/ada/app', home: '/home/ada' })

/** Parts that a hostile line is made of: what opens, what repeats, what multiplies, and what a parser stumbles over. */
const parts = fc.constantFrom(
  ...[
    '(',
    ')',
    '{',
    '}',
    '$(',
    '${',
    '$[',
    '$((',
    '))',
    '`',
    '"',
    "'",
    '[[',
    ']]',
    '<<a ',
    '<<<',
    '<(',
    '\\',
    '#',
    '\n',
  ],
  ...[
    '|',
    '||',
    '&&',
    '&',
    ';',
    ';;',
    '>',
    '>>',
    '<',
    '!',
    '=',
    '*',
    '?',
    '[a-z]',
    '{a,b}',
    '{1..9}',
    '~/',
    '../',
    'a/',
  ],
  ...[
    'for i in 1 2 3; do ',
    'done;',
    'while read x; do ',
    'if ',
    'then ',
    'fi;',
    'case x in a) ',
    'esac;',
    'f(){ ',
    'f;',
  ],
  ...[
    'x=$x$x;',
    'x+=(a);',
    `\${x//a/b}`,
    `\${x##*a}`,
    '$x ',
    '"$@" ',
    '$((x+1))',
    'a ',
    'ls;',
    'cd a;',
    'eval ',
    'env ',
    'sudo ',
  ],
  ...[
    "python -c '",
    'os.system("ls");',
    "awk '{print}' ",
    'sed s/a/b/ ',
    'xargs ',
    'find . -exec ',
    'base64 -d|',
    'rev|',
    'printf %s ',
  ],
  ...[
    'function f { f; }; f;',
    'if ls; then cd a; else cd b; fi;',
    'ls || x=a; rm $x;',
    'for i in a b; do break; cd a; done;',
    'cat <<E\nx\nE\n',
    '[[ $x = a ]] && x=b;',
    '(cd a; x=a);',
    'a* ',
    '@(a|b)* ',
    'rsync a b;',
    'mv a b;',
    'git config a.b c;',
    'alias a=b;',
    'echo a > a;',
    'make a;',
    'find a -name a -exec ls + \\; ',
  ],
)
/** Whether every `a` of the line is the same name: what an analysis remembers must not be paid for again and again. */
const names = fc.constantFrom(1, 4, 5_000)
const numbered = (text: string, count: number): string => {
  let at = 0
  return count === 1 ? text : text.replace(/\ba\b/g, () => `a${at++ % count}`)
}

describe('the analysis of any line is bounded', () => {
  test('whatever it repeats', () => {
    fc.assert(
      fc.property(
        fc.array(parts, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(40, 2_000, 9_000, longest),
        names,
        (unit, size, count) => {
          const text = unit.join('')
          const command = numbered(text.repeat(Math.ceil(size / text.length)), count).slice(0, longest)
          // The last step may cost more than was left.
          expect(stepsOf({ command })).toBeLessThan(MOST_STEPS * 2)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    ['loops in loops', `${'for i in 1 2 3 4 5 6 7 8 9 10; do '.repeat(12)}ls $i;${'done;'.repeat(12)}`],
    ['braces in braces', `echo ${'{a,b}'.repeat(40)}`],
    [
      'functions that double',
      `${Array.from({ length: 60 }, (_, at) => `f${at}(){ f${at - 1}; f${at - 1}; }`).join(';')};f59`,
    ],
    ['text that doubles', `x=ls;${'x="$x;$x";'.repeat(60)}eval "$x"`],
    ['arithmetic of the old kind', '$['.repeat(longest / 2)],
    ['here-documents that nobody ends', '<<a '.repeat(longest / 4)],
    ['braces that quotes close', "{'}'".repeat(longest / 4)],
    ['a format of many values', `printf "${'x'.repeat(60_000)}%s" ${'a '.repeat(30_000)}`],
    ['quotes that nothing closes', `python -c '${'\\"'.repeat(60_000)}'`],
    ['a directory without end', 'cd a;'.repeat(26_000)],
  ])('%s', (_, command) => expect(judge(command.slice(0, longest)).categories).toContain('limit'))

  it.each([
    [
      'a file written by a here-document',
      `cat > a.ts <<'EOF'\n${'const x = { a: [1, 2], b: "$(c)" };\n'.repeat(2_500)}EOF`,
    ],
    ['a long message', `git commit -m "$(cat <<'EOF'\n${'- say what changed (and why)\n'.repeat(300)}EOF\n)"`],
    ['many files', `git add ${Array.from({ length: 800 }, (_, at) => `src/file-${at}.ts`).join(' ')}`],
    ['a long script', `bash <<'EOF'\n${'mkdir -p build && cp a.txt build/ # copy\n'.repeat(150)}EOF`],
    ['a loop over many numbers', 'for i in {1..5000}; do echo "$i"; done'],
  ])('and ordinary work is far below it: %s', (_, command) => expect(judge(command).categories).not.toContain('limit'))
})

describe('padding never makes a command milder', () => {
  const ranks = ['low', 'medium', 'unknown', 'high']
  const cores = fc.constantFrom(
    'rm -rf ~/',
    'rm -rf /',
    'mkfs.ext4 /dev/sda1',
    'dd if=/dev/zero of=/dev/sda',
    'cat ~/.ssh/id_rsa',
  )
  const paddings: Record<string, (core: string, times: number) => string> = {
    'wrappers in front': (core, times) => 'env '.repeat(times) + core,
    'evaluation of evaluation': (core, times) => 'eval '.repeat(times) + core,
    'commands before it': (core, times) => `${'true;'.repeat(times * 40)}${core}`,
    'commands behind it': (core, times) => `${core};${'true;'.repeat(times * 40)}`,
    'substitutions before it': (core, times) => `echo ${'$('.repeat(times)}ls${')'.repeat(times)}; ${core}`,
    'loops around it': (core, times) =>
      `${'for i in 1 2; do '.repeat(times % 12)}${core};${'done;'.repeat(times % 12)}`,
    'values before the one that counts': (core, times) =>
      `for x in ${Array.from({ length: times }, (_, at) => `a${at}`).join(' ')} '${core}'; do eval "$x"; done`,
    'alternatives before it': (core, times) => `echo {${'a,'.repeat(times)}b}; ${core}`,
    'items before it': (core, times) => `printf '%s\\n' ${'a '.repeat(times)}'${core}' | xargs -I{} sh -c '{}'`,
    'text before it': (core, times) => `x='${'true;'.repeat(times * 200)}'; eval "$x ${core}"`,
    'blanks before it': (core, times) => ' '.repeat(times * 800) + core,
    'comments before it': (core, times) => `${'# nothing here\n'.repeat(times * 20)}${core}`,
    'strings before it': (core, times) =>
      `python3 -c 'import os; ${'x = "a";'.repeat(times * 10)} os.system("${core}")'`,
    'a line too long': (core) => `${'true;'.repeat(longest / 5 + 1)}${core}`,
  }
  it.each(Object.keys(paddings))('%s', (name) => {
    fc.assert(
      fc.property(cores, fc.integer({ min: 1, max: 120 }), (core, times) => {
        const [plain, padded] = [judge(core), judge(paddings[name]!(core, times))]
        const isLimit = padded.categories.includes('limit')
        expect(padded.verdict).toBe('destructive')
        expect(isLimit || ranks.indexOf(padded.radius) >= ranks.indexOf(plain.radius)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  test('what was found before the limit counts', () => {
    const { radius, categories } = judge(`rm -rf /; ${'true;'.repeat(longest)}`)
    expect(radius).toBe('high')
    expect(categories).toEqual(expect.arrayContaining(['fs-delete', 'limit']))
  })
})
