import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { connectDaemon } from '../../../hookline/src/daemon/index.ts'
import { startHookline } from '../../../hookline/test/support/cli.ts'
import { call } from '../../../hookline/test/support/daemon-call.ts'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { terminal } from '../../../hookline/test/support/terminal.ts'

/** A person with a project, their daemon, and a server in a terminal of theirs. */
export async function machine(config: string) {
  const root = scratch({ 'shop/hookline.yaml': config })
  const cwd = join(root, 'shop')
  const env = {
    ...{ HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') },
    ...{ XDG_DATA_HOME: join(root, 'd'), NO_COLOR: '1', LANG: 'C.UTF-8', LC_ALL: '', HOOKLINE_APPROVE_TOKEN: '' },
  }
  const socket = join(root, 'd/hookline/run/daemon.sock')
  const { child } = startHookline(['daemon'], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  // The daemon ends a connection that asks nothing for ten seconds: each look has one of its own.
  const status = async () => {
    const daemon = await connectDaemon({ socket })
    try {
      return await daemon?.request('status', {}).catch(() => undefined)
    } finally {
      daemon?.close()
    }
  }
  await until(status)
  let shown = ''
  const server = terminal(['serve', '--listen', '127.0.0.1:0'], {
    cwd,
    env,
    columns: 200,
    onShown: (data) => {
      shown += data
    },
  })
  const link = async () => (await until(async () => [...shown.matchAll(/http:\S+#sign-in=[\w-]+/g)].at(-1)?.[0]))!
  return {
    ...{ root, cwd, env, server, link },
    journal: join(root, 'state/hookline/journal.jsonl'),
    shown: () => shown,
    /** What an agent in the project wants to run. */
    agent: (command: string, session = 's1') => call(socket, { cwd, command, env, session }),
    attended: () => until(async () => (await status())?.attended || undefined),
  }
}

export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await delay(20)
  }
}
