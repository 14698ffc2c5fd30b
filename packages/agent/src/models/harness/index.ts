import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isRecord, signalGroup } from 'hookline/internal'
import {
  clip,
  type HarnessSpec,
  type Message,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from '../../core/index.ts'
import { harnesses } from './kinds.ts'

export { harnesses } from './kinds.ts'

/** Where another coding agent works, and whether hooks see what it does. */
export interface HarnessPlace {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** The program of this host, if there is one that the project did not bring: a repository must not choose who works in it. */
  program(host: string): Promise<string | undefined>
  /** Why hooks would not see what this host does, if so: then it is not started. */
  unguarded(host: string): Promise<string | undefined>
}

/** Another coding agent, as a model that answers: it has tools of its own, and one call of it is a whole turn of work. */
export function harnessModel(spec: HarnessSpec, place: HarnessPlace | undefined): Model {
  const { type } = spec
  const harness = harnesses[type]!
  return {
    id: type,
    contextLimit: 0,
    async *stream(request, signal) {
      const why = place ? await place.unguarded(harness.host) : 'nobody says whether hooks see what it does'
      if (!place || why !== undefined) throw failure(type, `${why}`)
      const program = await place.program(harness.host)
      if (program === undefined)
        throw failure(type, `there is no \`${harness.host}\` on the PATH, except what the project brings`)
      const child = spawn(program, harness.args(spec), {
        cwd: place.cwd,
        env: place.env as NodeJS.ProcessEnv,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const stop = () => child.pid !== undefined && signalGroup(child.pid, 'SIGTERM')
      signal.addEventListener('abort', stop)
      let printed = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-2_000)
      })
      const ended = new Promise<number | null | Error>((resolve) => {
        child.on('error', resolve)
        child.on('close', resolve)
      })
      child.stdin.on('error', () => {})
      child.stdin.end(promptOf(request))
      try {
        let finished = false
        for await (const text of createInterface({ input: child.stdout })) {
          const { parts = [], failed } = harness.read(parsed(text))
          if (failed !== undefined) throw failure(type, failed)
          finished ||= parts.some((part: ModelPart) => part.type === 'finish')
          yield* parts
        }
        const end = await ended
        if (signal.aborted) return
        if (end instanceof Error) throw failure(type, `\`${program}\` could not be started: ${end.message}`)
        if (!finished) throw failure(type, `it ended (${end}) without an answer. ${printed.trim()}`)
      } finally {
        signal.removeEventListener('abort', stop)
        stop()
      }
    },
  }
}

/** Never worth another try by itself: it may have changed things already. */
const failure = (type: string, detail: string): ModelError =>
  new ModelError('invalid', `${type}: ${clip(detail, 500).trim()}`)

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** What it is for, what was said so far, and the question. */
function promptOf({ system, messages }: ModelRequest): string {
  const question = messages.findLast(({ role }) => role === 'user')
  const before = messages.filter((message) => message !== question && message.content !== '')
  return [
    ...(system === '' ? [] : [system]),
    ...(before.length > 0 ? [`What was said before:\n\n${before.map(asText).join('\n\n')}`] : []),
    question?.content ?? '',
  ].join('\n\n')
}

const asText = ({ role, content }: Message): string => `${role}: ${content}`
