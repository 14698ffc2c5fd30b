/** Money and contracts on public chains: what is sent there, nobody takes back. */
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

export const ledgers: Family = {
  judges: {
    'hardhat truffle brownie ape anchor near aptos sui starkli snforge sncast': (call) =>
      onRealChain(call) && call.args.some(({ text }) => CHANGES.test(text)) ? SPENDS : undefined,
    cast: (call) => (/^(?:send|publish)$/.test(call.args[0]?.text ?? '') && !isLocal(call) ? SPENDS : undefined),
    forge: (call) => {
      const words = call.args.map(({ text }) => text)
      const sends = words[0] === 'create' || (words[0] === 'script' && words.includes('--broadcast'))
      return sends && !isLocal(call) ? SPENDS : undefined
    },
    'solana spl-token': (call) =>
      call.args.some(({ text }) =>
        /^(?:transfer|deploy|close|burn|withdraw-\w+|authorize|set-authority)$/.test(text),
      ) && !isLocal(call)
        ? SPENDS
        : undefined,
    'bitcoin-cli litecoin-cli geth lncli lightning-cli monero-wallet-cli': (call) =>
      call.args.some(({ text }) => /^(?:send\w*|sweep\w*|withdraw|payinvoice|pay|transfer|dumpprivkey)$/.test(text)) &&
      !isLocal(call)
        ? SPENDS
        : undefined,
  },
}

const CHANGES =
  /^(?:run|deploy|migrate|ignition|transfer|send|call|invoke|declare|publish|upgrade|move|client|program)$/
const wordsOf = ({ args }: Call): string => args.map(({ text }) => text).join(' ')

/** Networks for tests cost nothing, and are the usual case. */
const onRealChain = (call: Call): boolean =>
  /(?:^|[\s=])(?:mainnet(?:-beta)?|main|production|live|homestead|polygon|matic|bsc|arbitrum(?:One)?|optimism(?:Mainnet)?|base|avalanche|gnosis)(?:\s|$)/i.test(
    wordsOf(call),
  )

const isLocal = (call: Call): boolean =>
  /localhost|127\.0\.0\.1|anvil|devnet|testnet|sepolia|goerli|holesky|regtest|signet|mumbai|amoy|fuji|-u\s*[ltd]\b|--dry-run/i.test(
    wordsOf(call),
  )

const SPENDS: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It sends a transaction to a public chain, which nobody can take back.',
}
