import { Writable } from 'node:stream'
import { doctorCommand } from 'hookline/internal/server'
import { calledIn } from './called-in.ts'

/** What `hookline doctor` says of a project: approved hooks run on made-up events in a copy of it; others do not run. */
export async function runDoctor(project: string, flags: Readonly<Record<string, boolean>> = {}): Promise<string> {
  const here = calledIn(project)
  let text = ''
  const output = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  await doctorCommand.run({ ...here, values: { ...here.values, ...flags }, output: output as never })
  return text.trim()
}
