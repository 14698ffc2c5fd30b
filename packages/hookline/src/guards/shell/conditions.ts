import { expandWord, type Shell } from './expand.ts'
import type { TestExpression, Word } from './parse.ts'

/** `[[ … ]]`: harmless, except that subscripts and arithmetic comparisons are evaluated as code. */
export function walkTest(expression: TestExpression, shell: Shell): void {
  switch (expression.type) {
    case 'TestUnary':
      operand(expression.operand, shell)
      return
    case 'TestBinary':
      operand(expression.left, shell)
      operand(expression.right, shell)
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

function operand(word: Word, shell: Shell): void {
  for (const { text } of expandWord(word, shell)) if (isSubscript(text)) shell.evaluateText(text)
}

/** `name[…$(…)…]`: text that some builtins expand once more. */
export function isSubscript(text: string): boolean {
  return /^[A-Za-z_]\w*\[[\s\S]*[$`]/.test(text)
}
