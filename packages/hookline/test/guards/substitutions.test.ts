import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { analyseCommand } from '../../src/guards/shell/index.ts'
import { scratch } from '../support/scratch.ts'

/** Places of the grammar where bash expands; `%` stands for the substitution. */
const frames = `
echo %
echo a%b
echo "a%b"
echo $"a%"
echo {a,%}
echo {%,b}c
echo {1..%}
echo {%..3}
echo {a..b..%}
echo {1..3}%
ls [%]
ls a[%]b
ls [!%]*
ls [a-%]
ls *.%
x=%
x+=%
x={1..%}
x=[%]
x[%]=1
x=(a %)
x=([%]=1)
declare x=%
export x=%
: §{x:-%}
: §{x:=%}
: §{x:-§{y:-%}}
x=a; : §{x:+%}
x=a; : §{x#%}
x=a; : §{x%%%}
x=a; : §{x/a/%}
x=a; : §{x/%/b}
x=a; : §{x^^%}
x=a; : §{x,%}
x=a; : §{x:%}
x=(a b); : §{x[@]:%}
x=(a b); : §{x[%]}
: "§{@:%}"
: $((1 + %0))
: $[ %0 ]
((x = %0))
let x=%0
for ((i = %0; i < 1; i++)); do :; done
for i in %; do :; done
for i in [%]; do :; done
case % in a) ;; esac
case a in %) ;; esac
case a in [%]) ;; esac
[[ % ]]
[[ -f % ]]
[[ a == [%] ]]
[[ a =~ (b|%) ]]
[ -n % ]
if test %; then :; fi
cat <<< %
cat <<EOF⏎%⏎EOF
cat < /dev/null%
ls > /dev/null%
cat <(echo %)
f() { echo §{1:-%}; }; f
echo $(echo %)
echo "$(echo "%")"
echo $(case a in a) echo %;; esac)
eval 'echo {1..%}'
bash -c 'ls [%]'
trap 'echo %' EXIT
`
  .trim()
  .replaceAll('§', '$')
  .split('\n')
  .map((frame) => frame.replaceAll('⏎', '\n'))

const filled = (frame: string, command: string): string =>
  frame.replace('%%%', `%$(${command})`).replace(/(?<!%)%(?!\$)/, `$(${command})`)

it.each(frames)('what bash runs inside of it is judged: %j', (frame) => {
  const directory = scratch()
  const marker = join(directory, 'ran')
  spawnSync('bash', ['-c', filled(frame, `touch ${marker}`)], { cwd: directory, stdio: 'ignore' })
  expect(existsSync(marker)).toBe(true)
  rmSync(marker)
  const judged = analyseCommand({ command: filled(frame, 'rm -rf ~'), cwd: '/home/ada/app', home: '/home/ada' })
  expect(judged.verdict).toBe('destructive')
})

/** Bash calculates with what stands in the file `n`. */
const calculations = `
n=$(cat n); ((n))
n=$(cat n); echo $((n + 1))
n=$(<n); [[ $n -eq 1 ]]
read n < n; ((n > 1))
while read -r n; do [[ $n -gt 3 ]]; done < n
for n in "$(cat n)"; do echo $((n)); done
mapfile -t rows < n; echo $((rows[0]))
set -- "$(cat n)"; (($1))
f() { echo $(($1)); }; f "$(cat n)"
n=$(cat n); x=abc; echo §{x:$n}
n=$(cat n); rows[n]=1
n=$(cat n); let total=n
n=$(cat n); declare -i sum; sum=$n
n=$(cat n); [[ -v $n ]]
n=$(cat n); echo "§{n@P}"
n=$(cat n); m=n; ((m))
n=$(cat n); for ((i = n; i < 1; i++)); do :; done
n=$(cat n); : $[n]
`
  .trim()
  .replaceAll('§', '$')
  .split('\n')

it.each(calculations)('what runs the text of a file as it calculates is not safe: %j', (command) => {
  const directory = scratch()
  const marker = join(directory, 'ran')
  writeFileSync(join(directory, 'n'), `a[$(touch ${marker})]\n`)
  spawnSync('bash', ['-c', command], { cwd: directory, stdio: 'ignore' })
  expect(existsSync(marker)).toBe(true)
  expect(analyseCommand({ command, cwd: directory, home: '/home/ada' }).verdict).not.toBe('safe')
})
