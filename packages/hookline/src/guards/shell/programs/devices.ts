/** Phones, boards and other systems on this machine. */
import { parseArguments, readOptions } from '../../../shell/index.ts'
import { elsewhere, runScript } from '../scripts.ts'
import { stream } from '../text.ts'
import type { Family } from './rules.ts'

export const devices: Family = {
  options: { fastboot: '-s: --slot=' },
  rows: [
    {
      category: 'block-device',
      radius: 'high',
      reason: 'It wipes a device or a system with all that is on it.',
      commands: [
        'fastboot erase|format|flash|flashall|update|oem',
        'fastboot flashing unlock|lock|unlock_critical',
        'fastboot -w',
        'adb sideload',
        'adb shell|exec-out recovery|wipe',
        'wsl|wsl.exe --unregister',
        'esptool|esptool.py erase_flash|erase-flash|erase_region',
        'heimdall flash',
        'idevicerestore|futurerestore *',
        'xcrun simctl erase all',
      ],
    },
  ],
  judges: {
    adb: (call) => {
      const { operands } = parseArguments(call.args, readOptions('-s:t:H:P:L:'), true)
      const [verb, ...words] = operands
      if (verb?.text === 'shell') runScript(stream(words.map(({ text }) => text).join(' ')), elsewhere(call))
      return undefined
    },
    'lxc incus': (call) => {
      const words = call.args.map(({ text }) => text)
      const reaches = words.includes('security.privileged=true') || words.includes('source=/')
      return reaches ? REACHES_ALL : undefined
    },
  },
}

const REACHES_ALL = {
  category: 'privilege',
  radius: 'high',
  reason: 'It makes a container that reaches all of this machine.',
} as const
