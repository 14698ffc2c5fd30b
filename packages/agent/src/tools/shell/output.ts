import { StringDecoder } from 'node:string_decoder'
import { size } from '../text.ts'

/** Output kept within bounds: its beginning and its end, which say most. */
export interface Output {
  add(chunk: Buffer): void
  text(): string
}

export function createOutput(most: number, watch: (text: string) => void = () => {}): Output {
  const decoder = new StringDecoder('utf8')
  const half = Math.floor(most / 2)
  let [head, tail, bytes, shown] = ['', '', 0, 0]
  return {
    add(chunk) {
      bytes += chunk.length
      const text = decoder.write(chunk)
      if (shown < mostShown) watch(text)
      shown += text.length
      const room = half - head.length
      if (room > 0) head += text.slice(0, room)
      const rest = room > 0 ? text.slice(room) : text
      if (rest !== '') tail = tail.length + rest.length > 2 * half ? (tail + rest).slice(-half) : tail + rest
    },
    text() {
      const end = tail.length > half ? tail.slice(-half) : tail
      const left = bytes - Buffer.byteLength(head) - Buffer.byteLength(end)
      return left > 3 ? `${head}\n\n(… ${size(left)} left out …)\n\n${end}` : head + end
    },
  }
}

/** Whoever watches a flood has seen enough. */
const mostShown = 256 * 1024
