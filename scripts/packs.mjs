import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/**
 * Hosts start the command line for every tool call, so what a start does not need, it must not pay for. This plugin
 * turns the modules of the build, which would all run at the start, into functions that run when they are first used,
 * and gathers them into a file per room. `src/cli/start.cjs` loads them, and keeps what ran for the next run.
 */
export function packs() {
  return {
    name: 'packs',
    generateBundle(_options, bundle) {
      const rooms = new Map()
      for (const [file, chunk] of Object.entries(bundle)) {
        if (chunk.type !== 'chunk') continue
        const room = roomOf(file)
        rooms.set(room, [...(rooms.get(room) ?? []), asFunction(file, chunk.code, this.parse(chunk.code))])
        delete bundle[file]
      }
      const sources = [...rooms].map(([room, functions]) => [
        room,
        ascii(`(function(${parameters}){return{\n${functions.join(',\n')}\n}})`),
      ])
      const loader = readFileSync('src/cli/start.cjs', 'utf8').replaceAll('__PARAMETERS__', parameters)
      const build = createHash('sha256')
        .update(JSON.stringify([loader, sources]))
        .digest('hex')
        .slice(0, 12)
      for (const [room, source] of sources)
        this.emitFile({
          type: 'asset',
          fileName: `cli/${build}/${room}.cjs`,
          source: source.replaceAll('__BUILD__', build),
        })
      this.emitFile({ type: 'asset', fileName: 'cli.cjs', source: loader.replaceAll('__BUILD__', build) })
    },
  }
}

/** What the loader hands to a pack. */
const parameters = '$load,$from,$once,$import,require,__filename'

/** What hardly any start does without. */
const start = new Set(['.', 'cli', 'cli-index', 'core', 'dialects', 'engine', 'executors', 'platform', '_virtual'])

/** A command each, a dialect each, a library each: what is loaded together. */
function roomOf(file) {
  const place = file.startsWith('cli/commands/') ? file.slice(0, -'.cjs'.length) : dirname(file)
  const [first, second] = place.replace(/^cli\/commands\//, 'cli/').split('/')
  const room = first === 'node_modules' ? second : second === undefined ? first : `${first}-${second}`
  return start.has(room) ? 'start' : room
}

/**
 * `const require_x = require("./x.cjs")` becomes a function that loads the module at its first call, and every use of
 * the name a call. Requires for their side effects go: our modules have none.
 */
function asFunction(file, code, program) {
  const edits = []
  const imports = new Map()
  for (const statement of program.body) {
    if (isInterop(statement, imports)) {
      const { left } = statement.expression
      imports.set(left.name, `$once(()=>${toEsm(statement, imports)})`)
    } else if (!isImport(statement, imports, file)) continue
    edits.push([statement.start, statement.end, ''])
  }
  const removed = edits.map(([start]) => start)
  for (const statement of program.body) if (!removed.includes(statement.start)) visit(statement, undefined)
  const body = apply(code, edits).replace(/^#!.*\n/, '')
  const head = [...imports].map(([name, loader]) => `const ${name}=${loader};`).join('')
  return `${JSON.stringify(file)}(exports,module){${head}${body}\n}`

  function visit(node, parent) {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, parent)
      return
    }
    if (typeof node?.type !== 'string') return
    const required = requiredBy(node)
    if (required?.startsWith('.')) {
      edits.push([node.start, node.end, `$load(${located(file, required)})`])
      return
    }
    // Node warns of an experiment when a script of `vm` imports; the loader, a plain module, may.
    if (node.type === 'ImportExpression') edits.push([node.start, node.start + 'import'.length, '$import'])
    if (node.type === 'Identifier' && imports.has(node.name)) {
      const short = parent?.type === 'Property' && parent.shorthand ? `${node.name}:` : ''
      edits.push([node.start, node.end, `${short}(${node.name}())`])
      return
    }
    for (const [key, child] of Object.entries(node)) if (!isName(node, key)) visit(child, node)
  }
}

function isImport(statement, imports, file) {
  if (statement.type === 'ExpressionStatement') return requiredBy(statement.expression) !== undefined
  if (statement.type !== 'VariableDeclaration') return false
  const required = statement.declarations.map(({ init }) => requiredBy(init))
  if (!required.some((each) => each !== undefined)) return false
  for (const [index, { id }] of statement.declarations.entries()) {
    const target = required[index]
    if (target === undefined || id.type !== 'Identifier')
      throw new Error(`${file}: a declaration that is only partly an import`)
    imports.set(
      id.name,
      target.startsWith('.') ? `$from(${located(file, target)})` : `$once(()=>require(${JSON.stringify(target)}))`,
    )
  }
  return true
}

/** `node_http = runtime.__toESM(node_http)`, how a namespace import of a CommonJS module is written. */
function isInterop({ type, expression }, imports) {
  return (
    type === 'ExpressionStatement' && expression.type === 'AssignmentExpression' && imports.has(expression.left.name)
  )
}

function toEsm({ expression: { left, right } }, imports) {
  const target = imports.get(left.name).replace(/^\$once\(\(\)=>|\)$/g, '')
  return `${right.callee.object.name}().__toESM(${[target, ...right.arguments.slice(1).map(({ value }) => String(value))].join(',')})`
}

function requiredBy(node) {
  if (node?.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require')
    return undefined
  const [target] = node.arguments
  return target.type === 'TemplateLiteral' ? target.quasis[0].value.cooked : target.value
}

/** Names that refer to nothing: of a property, of a method. */
function isName(node, key) {
  return !node.computed && (key === 'key' || (node.type === 'MemberExpression' && key === 'property'))
}

function located(from, target) {
  const file = join(dirname(from), target)
  return `${JSON.stringify(roomOf(file))},${JSON.stringify(file)}`
}

function apply(code, edits) {
  return edits
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, by]) => text.slice(0, start) + by + text.slice(end), code)
}

/** One byte per character: read without decoding. */
function ascii(code) {
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
