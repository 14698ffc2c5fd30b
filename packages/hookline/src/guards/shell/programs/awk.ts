/**
 * Whether a program of awk does more than print: runs commands, writes files, reaches the environment or other files. Where
 * awks differ in what they read, and wherever a quote or a slash may be another thing than it seems, the answer is yes.
 */
export function awkActs(program: string): boolean {
  const tokens = tokensOf(program)
  return tokens === undefined || tokens.some(reaches) || writes(tokens)
}

type Kind = 'name' | 'number' | 'text' | 'pattern' | 'operator' | 'newline'

interface Token {
  kind: Kind
  text: string
  /** How many round brackets are open around it. */
  depth: number
}

const NAMES_THAT_REACH = new Set(
  'system getline close fflush ENVIRON PROCINFO SYMTAB FUNCTAB ARGV ARGC extension stdin'.split(' '),
)
const reaches = ({ kind, text }: Token): boolean =>
  kind === 'name' ? NAMES_THAT_REACH.has(text) : kind === 'operator' && /^(?:\||\|&|@)$/.test(text)

/** `print x > file`: outside of brackets, behind `print` and in its statement, no `>` compares. */
function writes(tokens: readonly Token[]): boolean {
  let printing: Token | undefined
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'name' && /^printf?$/.test(token.text)) printing = token
    else if (printing && endsStatement(token, tokens[at - 1])) printing = undefined
    else if (printing && token.kind === 'operator' && /^>>?$/.test(token.text) && token.depth <= printing.depth)
      return true
  }
  return false
}

function endsStatement({ kind, text }: Token, before: Token | undefined): boolean {
  if (kind === 'newline') return !/^(?:,|&&|\|\||\?|:|\{|do|else)$/.test(before?.text ?? '')
  return kind === 'operator' && (text === ';' || text === '}')
}

const BLANK = /[ \t]+|\\\n/y
const COMMENT = /#[^\n]*/y
const NAME = /[A-Za-z_]\w*/y
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const TEXT = /"(?:\\[\s\S]|[^"\\\n])*"/y
const PATTERN = /\/(?:\\[^\n]|[^/\\\n])*\//y
const OPERATOR = /\|\||&&|\|&|>>|>=|<=|==|!=|\+\+|--|\*\*|[-+*/%^]=|[^\s\w"\\#]/y

/** Behind these a value begins, so that a slash opens a pattern. */
const VALUE_FOLLOWS = new Set('print printf return in else do exit delete BEGIN END'.split(' '))
/** Awks differ in whether these are words of the language, or take a value without brackets. */
const DOUBTFUL = new Set('length switch case default func nextfile next'.split(' '))

/** undefined: it cannot be read for certain. */
function tokensOf(program: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  /** For each open bracket, whether it is that of a condition: a statement follows behind it. */
  const open: boolean[] = []
  let behindCondition = false
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(program)?.[0]
    at += found?.length ?? 0
    return found
  }
  const push = (kind: Kind, text: string) => tokens.push({ kind, text, depth: open.length })
  while (at < program.length) {
    const comment = take(COMMENT)
    if (comment?.endsWith('\\')) return undefined
    if (comment !== undefined || take(BLANK) !== undefined) continue
    const before = tokens.at(-1)
    const char = program[at] as string
    if (char === '\n') {
      at++
      push('newline', '\n')
    } else if (char === '"') {
      const text = take(TEXT)
      if (text === undefined) return undefined
      push('text', text)
    } else if (/\d/.test(char) || /^\.\d/.test(program.slice(at, at + 2))) {
      push('number', take(NUMBER) as string)
      if (/\w/.test(program[at] ?? '')) return undefined
    } else if (/[A-Za-z_]/.test(char)) push('name', take(NAME) as string)
    else if (char === '/') {
      const opens = opensPattern(before, behindCondition)
      if (opens === undefined) return undefined
      if (opens) {
        const pattern = take(PATTERN)
        // Some end it at a slash in square brackets, and some do not.
        if (pattern === undefined || /\[[^\]]*\/$|\[\^?\][^\]]*\/$/.test(pattern)) return undefined
        push('pattern', pattern)
      } else push('operator', take(OPERATOR) as string)
    } else {
      const operator = take(OPERATOR)
      if (operator === undefined) return undefined
      if (operator === '(') open.push(/^(?:if|while|for|switch)$/.test(before?.text ?? ''))
      push('operator', operator)
      behindCondition = operator === ')' && open.pop() === true
      continue
    }
    behindCondition = false
  }
  return tokens
}

/** Whether a slash here opens a pattern or divides; undefined where awks differ. */
function opensPattern(before: Token | undefined, behindCondition: boolean): boolean | undefined {
  if (!before || before.kind === 'newline' || behindCondition) return true
  if (before.kind === 'number' || before.kind === 'text' || before.kind === 'pattern')
    return before.kind === 'pattern' ? undefined : false
  if (before.kind === 'name') return DOUBTFUL.has(before.text) ? undefined : VALUE_FOLLOWS.has(before.text)
  if (before.text === '++' || before.text === '--') return undefined
  return !/^[)\]$]$/.test(before.text)
}
