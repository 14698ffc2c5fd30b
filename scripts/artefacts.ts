import { readFile } from 'node:fs/promises'
import { documentBuiltins } from '../src/builtins/document.ts'
import { caseSections, renderCaseSchema } from '../src/cli/cases/schema.ts'
import { commands } from '../src/cli/commands/index.ts'
import { renderReference } from '../src/cli/text/reference.ts'
import { configSections, fillSections, renderErrors, renderEvents } from '../src/config/document.ts'
import { renderSchema } from '../src/config/schema.ts'
import { dialectSections } from '../src/dialects/document.ts'
import { dialectNames, loadDialect } from '../src/dialects/index.ts'
import { createExecutors } from '../src/executors/index.ts'

/** Every file that is made from the tables: its path from the root, and what it should hold. */
export async function makeArtefacts(root: URL): Promise<Record<string, string>> {
  const executors = await createExecutors()
  try {
    const members = Object.values(executors)
    const config = await readFile(new URL('docs/config.md', root), 'utf8')
    const testing = await readFile(new URL('docs/testing.md', root), 'utf8')
    const tongues = await readFile(new URL('docs/dialects.md', root), 'utf8')
    const dialects = await Promise.all(dialectNames.map(loadDialect))
    return {
      'schema/hookline.schema.json': `${JSON.stringify(renderSchema(members), null, 2)}\n`,
      'schema/hookline-test.schema.json': `${JSON.stringify(renderCaseSchema(), null, 2)}\n`,
      'docs/events.md': renderEvents(),
      'docs/errors.md': renderErrors(),
      'docs/builtins.md': documentBuiltins(),
      'docs/cli.md': renderReference(await allCommands()),
      'docs/dialects.md': fillSections(tongues, dialectSections(dialects)),
      'docs/testing.md': fillSections(testing, caseSections()),
      'docs/config.md': fillSections(config, configSections(members)),
    }
  } finally {
    await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  }
}

/** One after the other: jiti gives half-loaded modules to whoever asks for them meanwhile. */
async function allCommands() {
  const loaded = []
  for (const entry of Object.values(commands)) loaded.push((await entry.load()).command)
  return loaded
}
