import { decodeBase64 } from '../decode.ts'
import { judgeDelete } from '../losses.ts'
import { runScript } from '../scripts.ts'
import { type Field, mixTaints, SOME, stream } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

/** Windows: cmd, PowerShell and their tools, also when called from a shell of another kind. */
export const windows: Family = {
  rows: [
    {
      category: 'system',
      radius: 'high',
      reason: 'It erases disks, backups or settings of Windows.',
      commands: [
        'vssadmin|wbadmin delete|resize',
        'wmic shadowcopy delete',
        'bcdedit /set|/delete',
        'diskpart',
        'format-volume|clear-disk|initialize-disk|remove-partition|clear-recyclebin',
        'cipher /w*',
        'fsutil usn|file deletejournal|setzerodata',
        'reg|reg.exe delete|add|import|restore',
        'clear-eventlog|remove-eventlog|limit-eventlog',
        'mshta|installutil|regasm|regsvcs|odbcconf *',
        'wmic process call create|terminate',
        'wmic process call',
        'bitsadmin /transfer|/create|/addfile|/setnotifycmdline',
        'stop-computer|restart-computer',
        'disable-computerrestore|set-mppreference|add-mppreference',
        'set-executionpolicy',
        'net|net1 user|localgroup',
        'sc|sc.exe delete|stop|config|create',
        'takeown /f|/r',
        'remove-localuser|new-localuser|add-localgroupmember|remove-service|stop-service',
        'netsh advfirewall|firewall',
      ],
    },
  ],
  judges: {
    'pwsh powershell': judgePowerShell,
    cmd: (call) => {
      const at = call.args.findIndex((word) => /^\/{1,2}[ck]$/i.test(word.text))
      if (at >= 0) runScript(joined(call.args.slice(at + 1)), call)
      return undefined
    },
    'rundll32 regsvr32 msiexec cscript wscript certutil forfiles': (call) =>
      call.args.some(({ text }) => /javascript:|vbscript:|https?:|\\\\|url\.dll|scrobj|comsvcs|^\/c$/i.test(text))
        ? RUNS
        : undefined,
    'reg reg.exe': (call) =>
      call.args.some(({ text }) => /^(?:save|export)$/i.test(text)) &&
      call.args.some(({ text }) => /hklm.?(?:sam|system|security)/i.test(text))
        ? READS_ACCOUNTS
        : undefined,
    'icacls cacls': (call) =>
      call.args.some(({ text }) => /(?:^|\s)\/{1,2}(?:grant|deny|reset|remove|setowner|p|g)/i.test(text))
        ? OPENS_UP
        : undefined,
    'remove-item ri del erase rd': judgeRemove,
    rmdir: (call) => (call.args.some((word) => /^\/s$/i.test(word.text)) ? judgeRemove(call) : undefined),
    format: (call) => (call.args.some((word) => /^[a-z]:/i.test(word.text)) ? FORMATS : undefined),
    'iex invoke-expression': (call) =>
      call.wiring.stdin ||
      call.args.some((word) =>
        /irm|iwr|invoke-(?:webrequest|restmethod)|downloadstring|frombase64|\uE000|\uE001/i.test(word.text),
      )
        ? RUNS
        : undefined,
  },
}

function judgePowerShell(call: Call): Danger | undefined {
  const index = (pattern: RegExp) => call.args.findIndex((word) => pattern.test(word.text))
  const encoded = index(/^-e(?:nc?|ncodedcommand)?$/i)
  if (encoded >= 0) {
    const code = call.args[encoded + 1]?.text ?? ''
    const decoded = decodeBase64(code)
    runScript(stream(decoded ?? SOME, ['decoded']), call)
    return RUNS
  }
  const command = index(/^-c(?:ommand)?$/i)
  const words = command >= 0 ? call.args.slice(command + 1) : call.args.filter((word) => !word.text.startsWith('-'))
  const script = joined(words)
  const downloads =
    /\b(?:irm|iwr|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|downloadfile|net\.webclient)\b/i.test(
      script.text,
    )
  if (downloads && /\b(?:iex|invoke-expression|start-process)\b/i.test(script.text)) return RUNS
  runScript(script, call)
  return undefined
}

function judgeRemove(call: Call): Danger[] {
  const recursive = call.args.some((word) => /^(?:-r(?:ecurse|ec)?|\/s)$/i.test(word.text))
  const targets = call.args.filter((word) => !/^(?:-|\/[a-z]$)/i.test(word.text))
  if (targets.length === 0 && call.wiring.stdin) return [REMOVES_PIPED]
  return targets.flatMap((word) => judgeDelete(windowsPath(word, call.state.home), recursive, recursive, call.state))
}

/** Parsed as shell, `C:\` loses its backslash. */
function windowsPath(word: Field, home: string): Field {
  // A shell around it has taken `$env` for a variable of its own.
  const text = word.text.replace(
    /^(?:\$env|[\uE000\uE001])?:(?:userprofile|home)\b|^%userprofile%|^~(?=[\\/]|$)/i,
    home,
  )
  return /^[a-z]:/i.test(text)
    ? { ...word, text: /^[a-z]:[\\/]/i.test(text) ? text : `${text.slice(0, 2)}/${text.slice(2)}`, glob: word.glob }
    : { ...word, text }
}

const joined = (words: readonly Field[]) =>
  stream(words.map((word) => word.text.replaceAll('\\', '/')).join(' '), mixTaints(...words.map((word) => word.taints)))
const FORMATS: Danger = { category: 'block-device', radius: 'high', reason: 'It erases a whole disk.' }
const READS_ACCOUNTS: Danger = {
  category: 'secret-read',
  radius: 'high',
  reason: 'It copies the passwords of all users of the machine.',
}
const OPENS_UP: Danger = {
  category: 'fs-permissions',
  radius: 'medium',
  reason: 'It changes who may read or change files.',
}
const REMOVES_PIPED: Danger = {
  category: 'fs-delete',
  radius: 'high',
  reason: 'It deletes whatever another command lists, unseen.',
}
const RUNS: Danger = {
  category: 'remote-exec',
  radius: 'high',
  reason: 'It runs code that nobody can read before it runs.',
}
