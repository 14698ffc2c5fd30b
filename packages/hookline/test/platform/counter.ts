/** What the tests of the lock run as other processes: `count <lock> <file> <times>`, or `hold <lock>`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { takeFileLock, withFileLock, withFileLockSync } from '../../src/platform/index.ts'

const [what, lock = '', file = '', times = '0'] = process.argv.slice(2)

/** Reads and writes in two steps, and not atomically: whoever comes in between loses a count. */
const read = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)
const add = () => writeFileSync(file, String(read() + 1))
const addSlowly = async () => {
  const before = read()
  await delay(1)
  writeFileSync(file, String(before + 1))
}

if (what === 'hold') {
  takeFileLock(lock)
  console.log('held')
  setInterval(() => {}, 1_000)
} else {
  for (let time = 0; time < Number(times); time++) {
    if (time % 3 === 0) withFileLockSync(lock, add)
    else await withFileLock(lock, time % 3 === 1 ? add : addSlowly)
  }
}
