import { lookup } from '../../shell/index.ts'
import type { ArithmeticCommandExpansion, ArithmeticExpression, ArithmeticWord } from '../../shell/syntax/index.ts'
import { isCountable, isKnown, NUMBER } from './text.ts'

/** What arithmetic needs from its surroundings. */
export interface Surroundings {
  /** Each part of it costs. */
  spend(): void
  word(word: ArithmeticWord): string
  command(node: ArithmeticCommandExpansion): string
  variable(name: string): string | undefined
  assign(name: string, text: string): void
  /** Judges text that is evaluated a second time: `x='a[$(rm …)]'; (( x ))` runs the rm. */
  again(text: string): string
  /** Text that only the run knows is evaluated: whatever it holds may run. */
  unread(text: string): void
}

const OPERATIONS: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.trunc(left / right),
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
}

const NAME = /^[A-Za-z_]\w*$/

/** The value as text; an unknown number when it is not a constant. */
export function evaluateArithmetic(expression: ArithmeticExpression | undefined, around: Surroundings): string {
  if (!expression) return NUMBER
  around.spend()
  switch (expression.type) {
    case 'ArithmeticGroup':
      return evaluateArithmetic(expression.expression, around)
    case 'ArithmeticUnary': {
      const operand = evaluateArithmetic(expression.operand, around)
      if (/^(?:\+\+|--)$/.test(expression.operator) && expression.operand.type === 'ArithmeticWord') {
        const changed = numeric(operand) ? String(Number(operand) + (expression.operator === '++' ? 1 : -1)) : NUMBER
        if (NAME.test(expression.operand.value)) around.assign(expression.operand.value, changed)
        return NUMBER
      }
      return expression.operator === '-' && numeric(operand) ? String(-Number(operand)) : NUMBER
    }
    case 'ArithmeticTernary': {
      for (const branch of [expression.test, expression.consequent, expression.alternate])
        evaluateArithmetic(branch, around)
      return NUMBER
    }
    case 'ArithmeticBinary': {
      const right = evaluateArithmetic(expression.right, around)
      if (expression.operator === '=' && expression.left.type === 'ArithmeticWord') {
        if (NAME.test(expression.left.value)) around.assign(expression.left.value, right)
        return right
      }
      const left = evaluateArithmetic(expression.left, around)
      if (expression.operator === ',') return right
      const assigns = /^[^=!<>]+=$|^(?:<<|>>)=$/.test(expression.operator)
      const operation = lookup(OPERATIONS, assigns ? expression.operator.slice(0, -1) : expression.operator)
      const value = operation && numeric(left) && numeric(right) ? operation(Number(left), Number(right)) : Number.NaN
      const text = Number.isFinite(value) ? String(value) : NUMBER
      if (assigns && expression.left.type === 'ArithmeticWord' && NAME.test(expression.left.value))
        around.assign(expression.left.value, text)
      return text
    }
    case 'ArithmeticCommandExpansion':
      return calculate(around.command(expression), around)
    case 'ArithmeticWord':
      return calculate(around.word(expression), around)
  }
}

/** The names in a text that is calculated with are variables, and the text of each is calculated with in its turn. */
export function calculate(text: string, around: Surroundings, depth = 0): string {
  around.spend()
  if (numeric(text)) return text
  const names = isKnown(text) ? (text.match(/(?<=\$\{?)\w+|(?<![\w$])[A-Za-z_]\w*/g) ?? []) : []
  // A pattern in a variable stands for names of files.
  if (!isCountable(text) || names.length > MOST_NAMES || depth > DEEPEST || (depth > 0 && /[*?]/.test(text))) {
    around.unread(text)
    return NUMBER
  }
  if (/[$`]/.test(text)) around.again(text)
  const values = names.map((name) => calculate(around.variable(name) ?? '0', around, depth + 1))
  return NAME.test(text) ? (values[0] ?? NUMBER) : NUMBER
}

const MOST_NAMES = 8
const DEEPEST = 4

const numeric = (text: string) => /^-?\d+$/.test(text)
