/** Runs one benchmark in a process of its own, so that none inherits the heap and the warmth of another; sends its rows to the parent. */
import { benchmarks } from './index.mjs'

const [name, options] = process.argv.slice(2)
const measure = await benchmarks[name]()
process.send(await measure(JSON.parse(options)))
process.disconnect()
