import { common, didYouMean, type EventName, eventRow, parseGoTemplate } from '../../core/index.ts'
import { ourField, promptFields, promptName, theirField, theirName } from './names.ts'

/** A prompt in our syntax; the fields in it that its event never has, which are empty there; or what cannot be translated. */
export type Translated = { ok: true; prompt: string; empty: string[] } | { ok: false; detail: string }

/**
 * Their prompts are Go templates over the payload, with two helpers: `{{ .ToolInput | toJSON }}`,
 * `{{ truncate 200 .Prompt }}`. Ours say the same as `{{ tool_input | toJSON }}`, `{{ prompt | truncate 200 }}`.
 */
export function promptToOurs(template: string, event: EventName): Translated {
  const empty: string[] = []
  try {
    const prompt = trimmed(template).replace(action, (_whole, source: string) => {
      if (/^\s*\/\*.*\*\/\s*$/s.test(source)) return ''
      const { path, steps } = parse(source)
      return write(path, steps, event, empty)
    })
    return { ok: true, prompt, empty }
  } catch (problem) {
    if (typeof problem === 'string') return { ok: false, detail: problem }
    throw problem
  }
}

/** What is wrong with a template that says more than ours can; undefined when nothing is. */
export function goProblem(template: string): string | undefined {
  const parsed = parseGoTemplate(template)
  if (!parsed.ok) return parsed.detail
  const unknown = parsed.template.fields.find((field) => !promptFields.has(field) && /^[A-Z]/.test(field))
  return unknown && `\`.${unknown}\` is not a field of the payload.${didYouMean(unknown, [...promptFields.keys()])}`
}

/** The inverse; undefined when it names a field that docker-agent does not have. */
export function promptToTheirs(prompt: string): string | undefined {
  let known = true
  const written = prompt.replace(action, (_whole, source: string) => {
    const words = source.replace(
      /(?<![\w.-])\.?([A-Za-z_][\w-]*)((?:\.[\w-]+)*)/g,
      (word, first: string, rest: string) => {
        if (helpers.has(word)) return word
        const name = promptFields.has(first) ? first : promptName(theirField(first))
        known &&= promptFields.has(name)
        return `.${name}${rest}`
      },
    )
    return `{{${words}}}`
  })
  return known ? written : undefined
}

const action = /\{\{(.*?)\}\}/gs
const helpers = new Set(['toJSON', 'truncate'])

/** `{{-` and `-}}` take the white space beside them away. */
const trimmed = (template: string): string =>
  template.replace(/\s*\{\{-(?=\s)/g, '{{').replace(/(?<=\s)-\}\}\s*/g, '}}')

interface Expression {
  path: string
  steps: string[]
}

function write(path: string, steps: readonly string[], event: EventName, empty: string[]): string {
  const [first = '', ...rest] = path.split('.')
  const field = promptFields.get(first)
  if (field === undefined)
    throw `\`.${first}\` is not a field of the payload.${didYouMean(first, [...promptFields.keys()])}`
  if (field === 'hook_event_name' && rest.length === 0 && steps.length === 0) return theirName(event)
  const ours = ourField(field)
  if (!Object.hasOwn(common, ours) && !Object.hasOwn(eventRow(event).fields, ours)) {
    empty.push(`.${path}`)
    return ''
  }
  return `{{ ${[[ours, ...rest].join('.'), ...steps].join(' | ')} }}`
}

function parse(source: string): Expression {
  const tokens = source.match(/\(|\)|\||"(?:[^"\\]|\\.)*"|`[^`]*`|[^\s()|]+/g) ?? []
  const expression = pipeline(tokens)
  if (tokens.length > 0) throw unsupported(tokens[0]!)
  return expression
}

/** Takes what it reads from the tokens. */
function pipeline(tokens: string[]): Expression {
  let expression = command(tokens, undefined)
  while (tokens[0] === '|') {
    tokens.shift()
    expression = command(tokens, expression)
  }
  return expression
}

function command(tokens: string[], piped: Expression | undefined): Expression {
  if (!helpers.has(tokens[0] ?? '')) {
    if (piped) throw unsupported(tokens[0] ?? '|')
    return operand(tokens)
  }
  const name = tokens.shift()!
  const step = name === 'truncate' ? `truncate ${number(tokens)}` : name
  const { path, steps } = piped ?? operand(tokens)
  return { path, steps: [...steps, step] }
}

function operand(tokens: string[]): Expression {
  const token = tokens.shift() ?? ''
  if (token === '(') {
    const inner = pipeline(tokens)
    if (tokens.shift() !== ')') throw 'a parenthesis is not closed'
    return inner
  }
  if (!/^(\.[A-Za-z_]\w*)+$/.test(token)) throw unsupported(token)
  return { path: token.slice(1), steps: [] }
}

function number(tokens: string[]): string {
  const token = tokens.shift() ?? ''
  if (!/^-?\d{1,9}$/.test(token)) throw '`truncate` needs a number, such as `truncate 200`'
  return token
}

const unsupported = (token: string): string =>
  token === ''
    ? 'there is nothing between `{{` and `}}`'
    : `\`${token}\` cannot be carried: only fields, \`toJSON\` and \`truncate\` can`
