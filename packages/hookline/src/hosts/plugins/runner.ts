import { hostWaits } from '../groups.ts'
import type { Ours } from '../setup.ts'

/**
 * The part that the plugins for hosts without commands share: it starts our entry, hands it one payload and reads one
 * JSON object. Whatever goes wrong is an error with a reason; what becomes of that, the plugin says.
 */
export function runner(host: string, { entry, mark }: Ours, waits = hostWaits): string {
  return `// Written by \`hookline install ${host}\`; \`hookline uninstall ${host}\` removes it. Changes here are lost.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const entry = ${JSON.stringify(entry)}
const broken = 'Hookline could not judge this, so it is refused. Run: npx hookline install ${host}'

// By this, \`hookline hosts\` knows that the host has loaded us.
try {
  writeFileSync(${JSON.stringify(mark)}, JSON.stringify({ time: new Date().toISOString(), pid: process.pid }))
} catch {}

function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const fail = (detail) => reject(Object.assign(new Error(broken + ' (' + detail + ')'), { detail }))
    let out = ''
    let errors = ''
    let child
    try {
      child = spawn(entry, ['${host}', event], { stdio: ['pipe', 'pipe', 'pipe'] })
    } catch (error) {
      return fail(String(error))
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail('it took too long')
    }, ${waits * 1000})
    child.on('error', (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (chunk) => (out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk))
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code !== 0) return fail(errors.trim() || 'exit code ' + code)
      try {
        const answer = JSON.parse(out)
        if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) throw new Error('no object')
        resolve(answer)
      } catch {
        fail('its answer is not one JSON object')
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

// Nothing waits for these events: what goes wrong is a warning.
const tell = (event, payload) =>
  ask(event, payload).catch((error) => {
    console.error('Hookline did not run at ' + event + ' (' + error.detail + '). Run: npx hookline install ${host}')
    return {}
  })
`
}
