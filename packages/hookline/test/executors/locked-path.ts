/** Runs a program that does not exist, with a PATH that leads through a directory which may not be searched. */
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { makeCall } from '../support/call.ts'

const [locked = ''] = process.argv.slice(2)
const spec = { command: 'no-such-program-anywhere', args: [] }
const executor = createCommandExecutor({ forkServerAbove: Number.POSITIVE_INFINITY })
const call = makeCall({ type: 'command', ...spec }, { env: { PATH: `${locked}:/usr/bin:/bin` } })
await Promise.resolve(executor.run(spec, call)).catch((failure: Error) => console.log(failure.message))
await executor.close?.()
