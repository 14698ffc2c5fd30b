/** Conditions of `[[ … ]]`. */
import type { TestExpression, Word } from '../../shell/syntax/index.ts'
import { spend } from './budget.ts'
import { expandWord } from './expand.ts'
import { isSubscript } from './parameters.ts'
import { isKnown } from './text.ts'
import type { Shell } from './types.ts'

/** `[[ … ]]`: harmless, except that subscripts and arithmetic comparisons are evaluated as code. */
export function walkTest(expression: TestExpression, shell: Shell): void {
  spend(shell.run, 1)
  switch (expression.type) {
    case 'TestUnary':
      expandOperand(expression.operand, shell, expression.operator === '-v' ? 'name' : 'text')
      return
    case 'TestBinary':
      for (const side of [expression.left, expression.right])
        expandOperand(side, shell, COMPARES_NUMBERS.test(expression.operator) ? 'number' : 'text')
      return
    case 'TestLogical':
      for (const each of expression.operands) walkTest(each, shell)
      return
    case 'TestNot':
      walkTest(expression.operand, shell)
      return
    case 'TestGroup':
      walkTest(expression.expression, shell)
      return
  }
}

/** What stands on both sides is calculated with. */
export const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/

function expandOperand(word: Word, shell: Shell, use: 'number' | 'name' | 'text'): void {
  for (const { text } of expandWord(word, shell))
    if (isSubscript(text)) shell.evaluateText(text)
    else if (use === 'number' || (use === 'name' && !isKnown(text))) shell.calculate(text)
}
