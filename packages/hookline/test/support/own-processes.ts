import { createCommandExecutor } from '../../src/executors/command/index.ts'

/**
 * Commands without a fork server. A worker of tests is a big host, and every set of hooks in it would begin by starting one:
 * for hundreds of small sets that is most of the time, and what it does is tested with the executor itself.
 */
export const ownProcesses = () => createCommandExecutor({ forkServerAbove: Number.POSITIVE_INFINITY })
