import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseConfig } from '../../config/index.ts'
import { formatPath, HooklineError, isRecord, note, validate } from '../../core/index.ts'
import { withFileLock } from '../../platform/index.ts'
import { lockOf } from '../edit/lock.ts'
import { editorFor, writeWhole } from '../edit/save.ts'
import { findCaseFiles } from './read.ts'
import { caseFileSchema, type Expectation, type Given } from './schema.ts'

/** What is written down of one event, and what came of it. */
export interface NewCase {
  name: string
  given: Given
  expect: Expectation
}

/** Adds a case to the cases of a project; comments and everything else in the file stay. A name that is taken gets a number. */
export async function addCase(project: string, added: NewCase): Promise<{ file: string; name: string }> {
  const file = resolve(findCaseFiles(project)[0] ?? join(project, 'hookline.test.yaml'))
  return withFileLock(lockOf(file), async () => {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : 'version: 1\ncases: []\n'
    const name = freeName(added.name, await namesIn(before, file))
    const written = { ...added, name }
    const checked = validate(caseFileSchema, { version: 1, cases: [written] })
    if (!checked.ok) {
      const { path, detail, fix } = checked.problems[0]!
      throw new HooklineError(note('config-shape', { path: formatPath(path.slice(2)), detail, fix }))
    }
    await writeWhole(file, editorFor(file).append(before, 'cases', written))
    return { file, name }
  })
}

async function namesIn(text: string, file: string): Promise<string[]> {
  const parsed = await parseConfig(text, file, 'native')
  if (!parsed.ok) throw new HooklineError(note('edit-refused', { file }), [parsed.problem])
  const { cases } = isRecord(parsed.document) ? parsed.document : {}
  return Array.isArray(cases) ? cases.map((each) => String(isRecord(each) ? each['name'] : '')) : []
}

function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted
  for (let number = 2; taken.includes(name); number++) name = `${wanted} (${number})`
  return name
}
