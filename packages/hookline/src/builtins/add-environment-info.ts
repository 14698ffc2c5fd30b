import { dirname, join } from 'node:path'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { eventsHonouring, noArgs } from './parts.ts'

const systems: Record<string, string> = { darwin: 'MacOS', win32: 'Windows', linux: 'Linux' }

export const addEnvironmentInfo = defineBuiltin({
  name: 'add_environment_info',
  doc: 'Tells the model the working directory, whether it is in a git repository, the operating system and the CPU architecture.',
  events: eventsHonouring('context', 'session_start'),
  args: noArgs,
  async answer(_event, _args, kit) {
    const lines = [
      `Working directory: ${kit.cwd}`,
      `Is directory a git repo: ${(await isInRepository(kit)) ? 'Yes' : 'No'}`,
      `Operating System: ${systems[kit.machine.platform] ?? kit.machine.platform}`,
      `CPU Architecture: ${kit.machine.architecture}`,
    ]
    return {
      context: [
        `Here is useful information about the environment you are running in:\n<env>\n${lines.join('\n')}\n</env>`,
      ],
    }
  },
  does: ['addsContext'],
  examples: [
    {
      title: 'in a repository',
      given: { machine: { platform: 'darwin', architecture: 'arm64' }, commits: ['first'] },
      event: 'session_start',
      payload: { source: 'startup' },
      expect: {
        context: [
          'Here is useful information about the environment you are running in:\n<env>\nWorking directory: {cwd}\n' +
            'Is directory a git repo: Yes\nOperating System: MacOS\nCPU Architecture: arm64\n</env>',
        ],
      },
    },
  ],
})

/** In a worktree, `.git` is a file. */
async function isInRepository(kit: BuiltinKit): Promise<boolean> {
  for (let directory = kit.cwd; ; directory = dirname(directory)) {
    if ((await kit.kind(join(directory, '.git'))) !== undefined) return true
    if (dirname(directory) === directory) return false
  }
}
