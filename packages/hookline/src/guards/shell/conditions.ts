/** Conditions of `[[ … ]]`. */
import type { TestExpression, Word } from '../../shell/syntax/index.ts'
import { spend } from './budget.ts'
import { expandWord } from './expand.ts'
import { isSubscript } from './parameters.ts'
import type { Shell } from './types.ts'

/** `[[ … ]]`: harmless, except that subscripts and arithmetic comparisons are evaluated as code. */
export function walkTest(expression: TestExpression, shell: Shell): void {
  spend(shell.run, 1)
  switch (expression.type) {
    case 'TestUnary':
      expandOperand(expression.operand, shell)
      return
    case 'TestBinary':
      expandOperand(expression.left, shell)
      expandOperand(expression.right, shell)
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

function expandOperand(word: Word, shell: Shell): void {
  for (const { text } of expandWord(word, shell)) if (isSubscript(text)) shell.evaluateText(text)
}
