import { type CommandSpec, createCommandExecutor } from '../../src/executors/command/index.ts'
import { throughForkServer } from './command-support.ts'
import { executorContract, type Harness } from './contract.ts'

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const fixtures = {
  answers: ({ exit = 0, stdout = '', stderr = '' }) => ({
    command: `cat >/dev/null; printf %s ${quote(stdout)}; printf %s ${quote(stderr)} >&2; exit ${exit}`,
  }),
  hangs: () => ({ command: `trap '' TERM; sleep 300 & sleep 300` }),
  floods: (bytes: number) => ({ command: `head -c ${bytes} /dev/zero | tr '\\0' a` }),
  crashes: () => ({ command: 'kill -SEGV $$' }),
  echoesPayload: () => ({ command: 'cat' }),
} satisfies Omit<Harness<CommandSpec>, 'make'>

executorContract('command', {
  make: () => createCommandExecutor({ forkServerAbove: Number.POSITIVE_INFINITY }),
  ...fixtures,
})

executorContract('command through the fork server', { make: throughForkServer, ...fixtures })
