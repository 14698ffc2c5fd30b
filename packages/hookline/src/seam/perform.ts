import { joined, plainText } from '../core/index.ts'
import type { Execute, Execution, GuardOptions, ToolOutcome } from './contract.ts'
import { jsonView, NotShown, ownCopy } from './json-view.ts'
import { type Line, told } from './line.ts'

/** What is given to hooks of a result, and what becomes of it. */
interface Result<O> {
  error: boolean
  /** As hooks see it: JSON; text, when the tool failed. */
  content: unknown
  /** What the tool returned, if it did. */
  returned?: { value: O }
  thrown?: unknown
}

/** Runs what is approved. A call that has started gets its closing events, also when it is stopped: it may have had effects. */
export async function perform<I extends object, O, F>(
  line: Line<I>,
  input: I,
  source: string,
  context: readonly string[],
  execute: Execute<I, O>,
  options: GuardOptions<I, O, F>,
): Promise<ToolOutcome<I, F>> {
  const { raise, signal } = line
  const about = line.about(input)
  const inside: string[] = []
  const result = await run(line, input, execute, options, inside)
  const { error, content: raw } = result

  const transforming = whole(signal)
  const transformed = await raise(
    'tool_response_transform',
    joined(about, { tool_error: error, ...responseOf(raw) }),
    transforming.options,
  )
  const content = transforming.isCut() ? withheld : rewritten(transformed, raw)

  const watching = whole(signal)
  const text = error ? { error: plainText(content) } : {}
  const failure = error
    ? await raise('post_tool_use_failure', joined(about, { ...text, ...responseOf(content) }), watching.options)
    : undefined
  const post = await raise(
    'post_tool_use',
    joined(about, { tool_error: error, success: !error, ...responseOf(content), ...text }),
    watching.options,
  )
  const last = watching.isCut() ? withheld : rewritten(post, content)

  const isCut = transforming.isCut() || watching.isCut()
  const final = isCut ? failed(last) : await outputOf(line.tool, result, last, options)
  const base = {
    input,
    source,
    context: [context, inside, failure?.context ?? [], post.context ?? []].flat(),
    ...('thrown' in result ? { thrown: result.thrown } : {}),
    ...told(line.verdicts),
  }
  const halt = transformed.halt ?? failure?.halt ?? post.halt
  const denied = post.decision?.ruling === 'deny' ? post.decision : undefined
  const ends = halt ?? denied
  if (ends) return { ...base, ...final, outcome: 'halted', ran: true, reason: ends.reason, afterBatch: !halt }
  return joined(base, { outcome: 'ran' as const, reason: '', ...final })
}

const withheld = 'It ran, but the run was stopped before hooks had seen the result, so that it is not shown.'

/** Runs the tool until it ends, or the signal has aborted and its time to stop is over. */
async function run<I extends object, O, F>(
  { signal }: Line<I>,
  input: I,
  execute: Execute<I, O>,
  { stopMs = usualStopMs, isError, describeError = messageOf }: GuardOptions<I, O, F>,
  inside: string[],
): Promise<Result<O>> {
  const stopped = signal && deadline(signal, stopMs)
  let isOver = false
  const addContext = (...texts: readonly string[]) => void (isOver || inside.push(...texts))
  try {
    const execution = signal ? { signal, addContext } : new Unstopped(addContext)
    const running = (async () => execute(ownCopy(input), execution))()
    const value = await (stopped ? Promise.race([running, stopped.passed]) : running)
    return { error: isError?.(value) === true, content: jsonView(value), returned: { value } }
  } catch (thrown) {
    if (thrown instanceof NotShown)
      return {
        error: true,
        content: `It ran, but hooks cannot read the result, so that it is not shown: ${thrown.message}.`,
      }
    return { error: true, content: described(thrown, describeError), thrown }
  } finally {
    isOver = true
    stopped?.clear()
  }
}

const usualStopMs = 3_000

/** Nobody stops the call. Making a signal takes as long as some hooks do, and most tools never look at it. */
class Unstopped implements Execution {
  readonly addContext: Execution['addContext']
  #signal: AbortSignal | undefined

  constructor(addContext: Execution['addContext']) {
    this.addContext = addContext
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }
}

/** The call has started: whatever the host's function does, hooks get a text. */
function described(thrown: unknown, describe: (thrown: unknown) => string): string {
  try {
    return describe(thrown)
  } catch {
    return messageOf(thrown)
  }
}

/** Anything can be thrown, and reading it can throw again. */
function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown)
  } catch {
    return 'It threw something unreadable.'
  }
}

/** Rejects this long after the signal aborts. */
function deadline(signal: AbortSignal, ms: number): { passed: Promise<never>; clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let start = (): void => {}
  const passed = new Promise<never>((_resolve, reject) => {
    start = () => {
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(() => reject(signal.reason), ms)
    }
    if (signal.aborted) start()
    else signal.addEventListener('abort', start, { once: true })
  })
  passed.catch(() => {})
  return {
    passed,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', start)
    },
  }
}

/**
 * Hooks after a call run even when it was stopped before. If they are cut off in the middle, they may not have redacted
 * everything, so the result is withheld.
 */
function whole(signal: AbortSignal | undefined): { options: { signal: AbortSignal } | undefined; isCut(): boolean } {
  if (!signal || signal.aborted) return { options: undefined, isCut: () => false }
  return { options: { signal }, isCut: () => signal.aborted }
}

/** A tool that returns nothing has no response. */
const responseOf = (content: unknown) => (content === undefined ? {} : { tool_response: content })

function rewritten(verdict: { rewrite?: unknown; payload: { tool_response?: unknown } }, content: unknown): unknown {
  return verdict.rewrite ? verdict.payload.tool_response : content
}

/** The output as hooks left it; what the tool returned, itself, when none of them changed it. */
async function outputOf<I extends object, O, F>(
  tool: string,
  { error, content, returned }: Result<O>,
  last: unknown,
  { parseOutput }: GuardOptions<I, O, F>,
): Promise<{ error: false; output: F } | { error: true; output: F | string }> {
  if (!returned) return failed(last)
  const { value } = returned
  if (last === content) return { error, output: value as unknown as F }
  const own = ownCopy(typeof value === 'string' ? plainText(last) : last)
  try {
    return { error, output: parseOutput ? await parseOutput(own) : (own as F) }
  } catch (problem) {
    return failed(`A hook rewrote the result of \`${tool}\` into something it does not return: ${messageOf(problem)}`)
  }
}

const failed = (content: unknown): { error: true; output: string } => ({ error: true, output: plainText(content) })
