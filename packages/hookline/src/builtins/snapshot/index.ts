import { type BuiltinKit, byEvent, defineBuiltin } from '../../core/index.ts'
import { noArgs } from '../parts.ts'
import { openSnapshots, type Snapshots } from './checkpoints.ts'

export { type Checkpoint, openSnapshots, type Snapshots } from './checkpoints.ts'

type NoArgs = Record<string, never>
type Given = { payload: { session_id?: string | undefined; tool_use_id?: string | undefined } }

/** Watches only: a snapshot that cannot be taken is a message to the user, and delays nothing. */
const then =
  (work: (snapshots: Snapshots, by: string) => Promise<unknown>) =>
  async ({ payload }: Given, _args: NoArgs, kit: BuiltinKit): Promise<{ message: string[] } | undefined> => {
    try {
      const snapshots = await openSnapshots(kit, payload.session_id ?? '')
      if (snapshots) await work(snapshots, payload.tool_use_id ?? 'turn')
      return undefined
    } catch (error) {
      if (kit.signal.aborted) throw error
      return { message: [`No snapshot was taken: ${(error as Error).message}`] }
    }
  }

export const snapshot = defineBuiltin({
  name: 'snapshot',
  liveOutput: true,
  doc:
    'Remembers how files were before each turn or tool call, so that it can be undone. In a repository of its own beside ' +
    'yours: your `.git` is only read, ignored files and new files over 2 MiB are left out. Nothing outside a git repository.',
  ...byEvent<NoArgs>({
    session_start: then((snapshots) => snapshots.prepare()),
    turn_start: then((snapshots) => snapshots.begin('turn')),
    turn_end: then((snapshots) => snapshots.end('turn')),
    pre_tool_use: then((snapshots, by) => snapshots.begin(by)),
    post_tool_use: then((snapshots, by) => snapshots.end(by)),
    session_end: then((snapshots) => snapshots.tidy()),
  }),
  args: noArgs,
  does: ['runs'],
  examples: [
    {
      title: 'it only watches',
      given: { files: { 'a.txt': '1' }, commits: ['first'] },
      event: 'turn_start',
      payload: {},
      expect: undefined,
    },
    { title: 'no repository, nothing to do', event: 'turn_start', payload: {}, expect: undefined },
  ],
})
