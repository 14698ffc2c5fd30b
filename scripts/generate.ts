// Writes every file that is made from the tables. Run it with `npm run generate`.
import { mkdir, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { makeArtefacts } from './artefacts.ts'

const root = pathToFileURL(`${process.cwd()}/`)
for (const [path, content] of Object.entries(await makeArtefacts(root))) {
  const file = new URL(path, root)
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, content)
}
