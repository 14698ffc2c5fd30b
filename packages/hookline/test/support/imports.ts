import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'

/** One import or re-export of a file; a dynamic `import()` counts as well. */
export interface Import {
  /** As it is written. */
  specifier: string
  /** The file it leads to, from the root of the sources; undefined for a package. */
  file: string | undefined
  /** What is taken from it, by the names that the other side gives; `*` for all of it. */
  names: string[]
}

/** Every TypeScript file below a folder, with what it imports. Type-only imports count like the others. */
export function readImports(root: string): Map<string, Import[]> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replaceAll('\\', '/'))
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))
}

export const roomOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '')

/** Groups of files that reach each other by their imports, each sorted; none when there is no cycle. */
export function findCycles(imports: ReadonlyMap<string, readonly Import[]>): string[][] {
  const reaches = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]))
  const groups = [...imports.keys()]
    .filter((file) => reaches.get(file)?.has(file))
    .map((file) => [...reaches.get(file)!].filter((other) => reaches.get(other)?.has(file)).sort())
  return [...new Map(groups.map((group) => [group.join(), group])).values()]
}

function reachedFrom(start: string, imports: ReadonlyMap<string, readonly Import[]>): Set<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop())
    for (const { file: next } of imports.get(file) ?? [])
      if (next !== undefined && !reached.has(next)) {
        reached.add(next)
        waiting.push(next)
      }
  return reached
}

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = []
  const add = (specifier: string, names: string[]) =>
    found.push({
      specifier,
      file: specifier.startsWith('.') ? posix.join(dirname(file), specifier) : undefined,
      names,
    })
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(textOf(node.moduleSpecifier), namesOf(node.importClause?.namedBindings))
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      add(textOf(node.moduleSpecifier), namesOf(node.exportClause))
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(textOf(node.arguments[0]), ['*'])
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(textOf(node.argument.literal), ['*'])
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

const textOf = (node: ts.Node | undefined): string => (node && ts.isStringLiteralLike(node) ? node.text : '')

function namesOf(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): string[] {
  if (!bindings || !('elements' in bindings)) return ['*']
  return bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
}
