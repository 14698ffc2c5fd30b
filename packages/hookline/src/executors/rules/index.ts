import * as z from 'zod/mini'
import {
  type Call,
  type DirectReply,
  defineExecutor,
  type Executor,
  eventRow,
  type Hook,
  HookFailure,
  isThenable,
  memoryState,
  type NamedRule,
  type Note,
  note,
  type Opinion,
  type RulesSpec,
  ruleSchema,
  type StateStore,
  seenFrom,
  type ToolSection,
} from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import { homeDirectory } from '../../platform/index.ts'
import {
  type Action,
  type Actions,
  actionsOf,
  type CompiledRules,
  type Compiling,
  compileRules,
  describeAction,
  doubtsOf,
  forModel,
  forUser,
  type Judgement,
  judge,
  type Look,
  problemsOf,
  type RuleMatch,
  type RuleNote,
  type Speaker,
  settle,
  toolNames,
} from '../../rules/index.ts'
import { hostDirectory, workingDirectory } from '../environment.ts'
import { lookDuring } from '../look.ts'
import { fulfilled, openMemory, secretFiles } from './memory.ts'
import { baseOf, momentOf, type Subject, subjectOf } from './subject.ts'

export interface RulesOptions {
  /** Where it is remembered what happened earlier in a session. Default: in memory. */
  state?: StateStore
  /** What other systems call our tools. */
  spellings?: readonly ToolSection[]
  /** The tools that people have declared, as far as is known by then. */
  declared?(): Iterable<string>
  look?(event: object): Look
  now?(): Date
}

export function createRulesExecutor(options: RulesOptions = {}): Executor<RulesSpec> {
  const memory = openMemory(options.state ?? memoryState())
  const names = toolNames(options.spellings, options.declared)
  const look = options.look ?? lookDuring
  const now = options.now ?? (() => new Date())
  const foldCase = process.platform === 'darwin' || process.platform === 'win32'
  const compiledBySpec = new WeakMap<readonly NamedRule[], Map<string, CompiledRules>>()
  const actionsByInput = new WeakMap<object, { actions: Actions; look: Look }>()

  const using = (base: string): Compiling => ({ base, home: homeDirectory(), foldCase, regex, toolNames: names })

  function compiledFor({ rules }: RulesSpec, base: string): CompiledRules {
    const known = compiledBySpec.get(rules) ?? new Map<string, CompiledRules>()
    compiledBySpec.set(rules, known)
    const found = known.get(base)
    if (found) return found
    const { problems, ...compiled } = compileRules(rules, using(base))
    const [broken] = problems
    // A rule that cannot be read must not pass for one that does not match.
    if (broken)
      throw new HookFailure('spawn', `The rule ${broken.rule.id} cannot be read: ${broken.detail}.`, broken.fix)
    if (known.size >= mostBases) known.clear()
    known.set(base, compiled)
    return compiled
  }

  /** Several lists of rules judge one call: what it does is found out once. */
  function actionsFor(subject: Subject & { about: 'call' }, cwd: string, call: Call): { actions: Actions; look: Look } {
    const known = actionsByInput.get(subject.input)
    if (known) return known
    const seen = look(call.event)
    const found = {
      actions: actionsOf({ tool: subject.tool, input: subject.input, cwd }, seen, call.toolRow?.(subject.tool)),
      look: seen,
    }
    actionsByInput.set(subject.input, found)
    return found
  }

  function run(spec: RulesSpec, call: Call): DirectReply | Promise<DirectReply> {
    const subject = subjectOf(call.event)
    if (!subject) return silent
    const cwd = workingDirectory(call) ?? hostDirectory()
    const compiled = compiledFor(spec, baseOf(call.hook, call.event.payload, cwd))
    const waits = compiled.rules.some(({ after }) => after !== undefined)
    if (!waits) return reply(judged(compiled, subject, call, cwd, never), subject, spec, call, cwd)
    const happened = memory.recall(call.event)
    const finish = (known: (key: string) => boolean) => withMemory(compiled, subject, spec, call, cwd, known)
    return isThenable<(key: string) => boolean>(happened) ? Promise.resolve(happened.then(finish)) : finish(happened)
  }

  function withMemory(
    compiled: CompiledRules,
    subject: Subject,
    spec: RulesSpec,
    call: Call,
    cwd: string,
    happened: (key: string) => boolean,
  ): DirectReply | Promise<DirectReply> {
    const { event } = call
    const judges = eventRow(event.name).asks || subject.about !== 'call'
    const judgement = judges ? judged(compiled, subject, call, cwd, happened) : undefined
    const given = judgement ? reply(judgement, subject, spec, call, cwd) : silent
    const isOver = !judges
    // What is about to happen counts for later calls; without an id of its own, a call could not be told from those.
    if (
      subject.about !== 'call' ||
      judgement?.ruling === 'deny' ||
      (!isOver && event.payload['tool_use_id'] === undefined)
    )
      return given
    const { actions, look: seen } = actionsFor(subject, cwd, call)
    const secrets = compileRules([{ id: 'secret', deny: { read: secretFiles } }], using(cwd))
    const result = isOver ? event.payload['tool_response'] : undefined
    const keys = fulfilled(compiled, actions.actions, secrets, seen, result)
    if (keys.length === 0) return given
    const recorded = memory.record(event, keys)
    return isThenable<void>(recorded) ? Promise.resolve(recorded.then(() => given)) : given
  }

  function judged(
    compiled: CompiledRules,
    subject: Subject,
    call: Call,
    cwd: string,
    happened: (key: string) => boolean,
  ): Judgement {
    const { event } = call
    if (subject.about === 'call') {
      const { actions, look: seen } = actionsFor(subject, cwd, call)
      const moment = momentOf(event, cwd, seen, now())
      return judge(compiled, { ...actions, names: subject.names, input: subject.input, moment, look: seen, happened })
    }
    const seen = look(event)
    const moment = momentOf(event, cwd, seen, now())
    if (subject.about === 'message') {
      const action: Action = { kind: 'send', to: subject.to, shown: subject.to.parts.join('…'), inside: [] }
      const input = event.payload
      return judge(compiled, { actions: [action], complete: true, names: [], input, moment, look: seen, happened })
    }
    return judgePrompt(compiled, subject.text, (rule) => {
      const holds = rule.holds?.(moment, undefined) ?? 2
      return (
        holds > 0 &&
        !(rule.ends !== undefined && moment.now.getTime() >= rule.ends) &&
        (!rule.after || happened(rule.after.key))
      )
    })
  }

  function reply(judgement: Judgement, subject: Subject, spec: RulesSpec, call: Call, cwd: string): DirectReply {
    const speaker = speakerOf(call, spec)
    for (const match of judgement.shadow)
      call.note(note('shadow-would', { opinion: `${match.ruling} (${forModel([match], speaker)})` }))
    const { ruling, decided, others } = judgement
    if (ruling === undefined) return silent
    const message = forUser(decided, speaker)
    const opinion: Opinion = {
      decision: { ruling, reason: forModel(decided, speaker) },
      ...(message.length > 0 && { message }),
    }
    const shown = subject.about === 'call' ? actionsFor(subject, cwd, call).actions.actions.map(describeAction) : []
    return {
      kind: 'opinion',
      opinion,
      rules: [...decided, ...others].map(idOf),
      ...(others.length > 0 && { decidedBy: decided.map(idOf) }),
      ...(shown.length > 0 && { actions: shown }),
    }
  }

  return defineExecutor<RulesSpec>({
    type: 'rules',
    doc: 'Rules about what calls do, in this process: what is denied, asked about and allowed. Written under `rules:`; see docs/rules.md.',
    spec: z.strictObject({
      rules: z.array(ruleSchema).check(z.describe('The rules, each with an `id`.')),
      approved: z.optional(z.literal(false).check(z.describe('Set by Hookline: nobody has approved these rules.'))),
    }) as unknown as Executor<RulesSpec>['spec'],
    pins: () => [],
    withoutApproval: ({ rules }, { origin }) => withoutApproval(rules, origin.ours !== undefined),
    ownWords: ({ approved }, { origin }) => approved === false || origin.ours !== undefined,
    contained: true,
    besideConfig: true,
    answersAsks: true,
    leavesNoTrace: () => true,
    check: ({ rules }, hook) =>
      problemsOf(rules, using(baseOf(hook, {}, hostDirectory()))).map(asNote('rule-broken', hook)),
    doubts: ({ rules }, hook) =>
      hook.event === 'permission_request'
        ? []
        : doubtsOf(rules, using(baseOf(hook, {}, hostDirectory())), now()).map(asNote('rule-doubtful', hook)),
    soundPart({ rules }, hook) {
      const broken = new Set(problemsOf(rules, using(baseOf(hook, {}, hostDirectory()))).map(({ rule }) => rule.id))
      const sound = rules.filter(({ id }) => !broken.has(id))
      return sound.length > 0 ? { rules: sound } : undefined
    },
    run,
  })
}

/** As many directories as one process works in at once. */
const mostBases = 64
const silent: DirectReply = { kind: 'opinion', opinion: undefined }
const never = () => false
const idOf = ({ rule }: RuleMatch): string => rule.rule.id

function regex(source: string): { test(text: string): boolean } {
  const compiled = compilePattern(source, false)
  if (compiled.ok) return compiled.pattern
  throw new Error(compiled.detail)
}

/**
 * What holds of rules of a project that nobody has approved. Of a bundle of ours, that is all but what it allows: its
 * exceptions only limit what it tightens, and its words are ours. Of what a project has written itself, no exception
 * counts, and the model reads none of its words, its patterns included.
 */
function withoutApproval(rules: readonly NamedRule[], ours: boolean): Partial<RulesSpec> {
  const tightening = rules.filter(({ allow }) => allow === undefined)
  const dropsRules = tightening.length < rules.length
  if (ours && !dropsRules && rules.every(({ because }) => because !== undefined)) return {}
  const dropsExceptions = !ours && tightening.some(({ except }) => except !== undefined)
  if (!dropsRules && !dropsExceptions) return { approved: false }
  return { rules: ours ? tightening : tightening.map(({ except: _, ...rule }) => rule), approved: false }
}

function judgePrompt(
  compiled: CompiledRules,
  text: string,
  applies: (rule: CompiledRules['rules'][number]) => boolean,
): Judgement {
  const matches = compiled.rules.flatMap((rule): RuleMatch[] => {
    const found = rule.target.prompt.some((pattern) => pattern.test(text)) && applies(rule)
    const excepted = rule.except?.prompt.some((pattern) => pattern.test(text)) === true
    return found && !excepted ? [{ rule, ruling: rule.ruling }] : []
  })
  return settle(matches)
}

function speakerOf({ hook: { origin }, event: { payload } }: Call, { approved }: RulesSpec): Speaker {
  return {
    layer: origin.layer,
    where(id) {
      const place = origin.places?.[id] ?? origin.where
      return place && seenFrom(place, payload, homeDirectory())
    },
    unapproved: approved === false,
    ours: origin.ours !== undefined,
  }
}

const asNote =
  (code: 'rule-broken' | 'rule-doubtful', { origin }: Hook) =>
  ({ rule, detail, fix }: RuleNote): Note => {
    const where = origin.places?.[rule.id]
    return note(code, { id: rule.id, detail, fix }, where ? { where } : {})
  }
