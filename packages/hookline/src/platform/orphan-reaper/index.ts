import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { markVariable } from '../processes.ts'

/**
 * What ends these processes when we are killed without a chance to do so ourselves (SIGKILL, no memory): a shell that
 * reads from us. While we live it hears what runs and what is over; when its input ends, nobody holds the other end any
 * more, and it ends what is left: the groups, and what has left them but carries the mark in its environment.
 */
const executor = `
left=
while read -r what leader mark; do
  case $what in
    add) left="$left $leader:$mark" ;;
    done) rest=; for each in $left; do [ "\${each%%:*}" = "$leader" ] || rest="$rest $each"; done; left=$rest ;;
  esac
done
[ -n "$left" ] || exit 0
for each in $left; do
  kill -9 "-\${each%%:*}"
  set -- "$@" -e "${markVariable}=\${each#*:}"
done
for file in $(grep -l "$@" /proc/[0-9]*/environ); do
  file=\${file%/environ}
  kill -9 "\${file#/proc/}"
done
`

let running: ChildProcess | undefined

/** From now until the returned function is called, this group does not outlive us, however we end. */
export function endWithHost(leader: number, mark: string): () => void {
  if (process.platform === 'win32') return () => {}
  // One that is gone is begun again with the next group: what matters is that nobody waits for it.
  running ??= begin()
  send(`add ${leader} ${mark}`)
  return () => send(`done ${leader}`)
}

const send = (line: string): void => void running?.stdin?.write(`${line}\n`, () => {})

function begin(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', executor], {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = () => {
    if (running === shell) running = undefined
  }
  shell.once('error', gone)
  shell.once('exit', gone)
  shell.stdin.on('error', gone)
  shell.unref()
  ;(shell.stdin as unknown as Socket).unref()
  return shell
}
