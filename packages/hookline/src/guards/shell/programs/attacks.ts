/** Tools made to break in, to wear out machines or passwords, and to earn by the machines of others. */
import type { Danger } from '../types.ts'
import type { Family } from './rules.ts'

export const attacks: Family = {
  rows: [
    {
      category: 'system',
      radius: 'high',
      reason: 'It is a tool to attack machines, networks or passwords.',
      commands: [
        'hydra|medusa|ncrack|patator|crowbar|john|hashcat|ophcrack|aircrack-ng|airodump-ng|aireplay-ng|wifite|reaver|fcrackzip|crunch *',
        'msfconsole|msfvenom|armitage|empire|sliver-client|sliver-server|havoc|cobaltstrike|beacon|pupy',
        'sqlmap|nikto|wpscan|commix|xsser|beef|responder|bettercap|ettercap|arpspoof|dnsspoof|mitmf|evilginx|setoolkit',
        'masscan|zmap|hping3|slowloris|slowhttptest|goldeneye|loic|thc-ssl-dos|t50',
        'crackmapexec|cme|netexec|nxc|evil-winrm|impacket-secretsdump|impacket-psexec|secretsdump.py|psexec.py|bloodhound|bloodhound-python|kerbrute|rubeus|lazagne|mimipenguin|linpeas|linpeas.sh|winpeas|pspy|pspy64|linenum.sh|les.sh',
        'xmrig|minerd|cpuminer|ccminer|ethminer|nbminer|t-rex|phoenixminer|lolminer|cgminer|bfgminer|nanominer|xmr-stak *',
        'xmrig|minerd|cpuminer|ccminer|ethminer|nbminer|phoenixminer|lolminer|cgminer|bfgminer|nanominer|xmr-stak -o|-a|--url|--algo|-u|-c|--config',
      ],
    },
  ],
  judges: {
    'ab wrk wrk2 siege hey vegeta bombardier autocannon oha k6 loadtest drill': (call) => {
      const remote = call.args.some(({ text }) => /^https?:\/\/(?!localhost|127\.|\[::1\]|0\.0\.0\.0)/i.test(text))
      return remote && call.args.some(({ text }) => /^(?:-[ncrd])?\d{6,}$/.test(text)) ? WEARS_OUT : undefined
    },
    'ping ping6 fping': (call) =>
      call.args.some(({ text }) => /^-[a-zA-Z]*f$|^--flood$/.test(text)) ? WEARS_OUT : undefined,
    nmap: (call) => {
      const at = call.args.findIndex(({ text }) => /^--script(?:=|$)/.test(text))
      const script = at < 0 ? '' : call.args[at]?.text.split('=')[1] || (call.args[at + 1]?.text ?? '')
      if (call.args.some(({ text }) => text === '--interactive')) return ATTACKS
      return /[/\\]|exploit|brute|dos|vuln|malware/.test(script) ? ATTACKS : undefined
    },
  },
}

const make = (reason: string): Danger => ({ category: 'system', radius: 'high', reason })
const WEARS_OUT = make('It sends so many requests that the other machine may stop answering.')
const ATTACKS = make('It runs code or attacks against the machines that it scans.')
