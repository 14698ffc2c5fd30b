import fc from 'fast-check'
import { expect, it } from 'vitest'
import { namedPrograms } from '../../src/cli/check/programs.ts'

const words = [
  'if then do done for while case in function time coproc select fi until exec command type which cd sh bash -c -v --',
  'PATH=x a=b jq ./a.sh /bin/a echo eval . x.py 1 - --a=b a:b a,b a@b 50% a+b ~ ~/a $HOME $x',
  "'a' * a|b >a 2>a & # { } ! [[ [ ( \\ `a`",
].flatMap((line) => line.split(' '))

// A line before it is what the quick way does not know.
it('a command of plain words names what it would name to a shell', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }), (given) => {
      const command = given.join(' ')
      const env = { HOME: '/home/me', x: 'y' }
      expect(namedPrograms(command, env)).toEqual(namedPrograms(`\n${command}`, env))
    }),
    { numRuns: 2_000 },
  )
})
