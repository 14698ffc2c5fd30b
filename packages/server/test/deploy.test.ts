import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { command } from '../src/command.ts'

/** No container is built and no service started here: what can be seen without doing so is. */
const deploy = join(import.meta.dirname, '../../../deploy')
const read = (file: string): string => readFileSync(join(deploy, file), 'utf8')

describe('the Dockerfile', () => {
  const text = read('Dockerfile')
  it('has no mistake that a linter knows', () => {
    expect(validate(text)).toEqual([])
  })
  it('installs in a stage of its own, runs as no user of the machine, and keeps no secret', () => {
    expect(text.match(/^FROM /gm)).toHaveLength(2)
    const last = text.slice(text.lastIndexOf('FROM '))
    expect(last).toMatch(/^USER \d{5}:\d{5}$/m)
    expect(last.indexOf('USER')).toBeGreaterThan(last.indexOf('RUN'))
    expect(last).not.toMatch(/npm|apt-get|curl/)
    expect(text).not.toMatch(/(?:PASSWORD|TOKEN|SECRET)=/)
  })
  it('starts commands and options that there are', () => {
    expect(optionsIn(text).filter((option) => !(option in command.options))).toEqual([])
  })
})

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml')) as {
    services: Record<
      string,
      { read_only?: boolean; cap_drop?: string[]; command?: string[]; ports?: string[]; networks: string[] }
    >
  }
  it('gives the server a root that cannot be written, no capabilities, and a port of this machine alone', () => {
    expect(services['server']).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(services['server']!.ports!.every((port) => port.startsWith('127.0.0.1:'))).toBe(true)
    expect(services['database']!.ports).toBeUndefined()
    expect(services['database']!.networks).toEqual(['inner'])
  })
  it('starts options that there are', () => {
    expect(optionsIn(services['server']!.command!.join(' ')).filter((option) => !(option in command.options))).toEqual(
      [],
    )
  })
})

describe.each(['hookline', 'hookline-machine', 'hookline-server'].map((name) => `systemd/${name}.service`))(
  '%s',
  (file) => {
    it('has sections with keys, and starts a command that there is', () => {
      const lines = read(file)
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
      expect(lines.filter((line) => !/^\[\w+\]$|^\w+=/.test(line))).toEqual([])
      const [start] = lines.filter((line) => line.startsWith('ExecStart='))
      expect(start).toMatch(/hookline (daemon|serve) /)
      if (start!.includes(' serve '))
        expect(optionsIn(start!).filter((option) => !(option in command.options))).toEqual([])
    })
  },
)

it('the property list of launchd closes what it opens, and starts the daemon', () => {
  const text = read('launchd/com.hookline.daemon.plist').replace(/<!--.*?-->/gs, '')
  const open: string[] = []
  for (const [, closes, name, empty] of text.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (closes) expect(open.pop()).toBe(name)
    else if (!empty) open.push(name!)
  }
  expect(open).toEqual([])
  expect(text).toMatch(/<string>daemon<\/string>/)
})

const optionsIn = (text: string): string[] =>
  [...text.slice(text.search(/\bserve\b/)).matchAll(/--([a-z-]+)/g)].map(([, name]) => name!)
