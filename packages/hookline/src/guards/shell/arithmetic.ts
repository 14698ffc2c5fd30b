import { lookup } from '../../shell/index.ts'
import type { ArithmeticCommandExpansion, ArithmeticExpression, ArithmeticWord } from '../../shell/syntax/index.ts'
import { SOME } from './text.ts'

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

/** The value as text; an unknown run when it is not a constant. */
export function evaluateArithmetic(expression: ArithmeticExpression | undefined, around: Surroundings): string {
  if (!expression) return SOME
  around.spend()
  switch (expression.type) {
    case 'ArithmeticGroup':
      return evaluateArithmetic(expression.expression, around)
    case 'ArithmeticUnary': {
      const operand = evaluateArithmetic(expression.operand, around)
      if (/^(?:\+\+|--)$/.test(expression.operator) && expression.operand.type === 'ArithmeticWord') {
        const changed = numeric(operand) ? String(Number(operand) + (expression.operator === '++' ? 1 : -1)) : SOME
        if (NAME.test(expression.operand.value)) around.assign(expression.operand.value, changed)
        return SOME
      }
      return expression.operator === '-' && numeric(operand) ? String(-Number(operand)) : SOME
    }
    case 'ArithmeticTernary': {
      for (const branch of [expression.test, expression.consequent, expression.alternate])
        evaluateArithmetic(branch, around)
      return SOME
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
      const text = Number.isFinite(value) ? String(value) : SOME
      if (assigns && expression.left.type === 'ArithmeticWord' && NAME.test(expression.left.value))
        around.assign(expression.left.value, text)
      return text
    }
    case 'ArithmeticCommandExpansion':
      return around.command(expression)
    case 'ArithmeticWord': {
      const text = around.word(expression)
      const value = NAME.test(text) ? (around.variable(text) ?? SOME) : text
      if (/[$`]/.test(value)) around.again(value)
      return value
    }
  }
}

const numeric = (text: string) => /^-?\d+$/.test(text)
