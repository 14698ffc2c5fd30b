import { randomUUID } from 'node:crypto'
import { chmod, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bundles } from '../../builtins/bundles/index.ts'
import type { ConfigFile } from '../../config/index.ts'
import { readConfig, validateHooks } from '../../config/index.ts'
import { type Hook, HooklineError, note } from '../../core/index.ts'
import { createExecutors } from '../../executors/index.ts'

/** The hooks that the text amounts to. A text with problems is refused, so that nothing broken is ever written. */
export async function hooksOf({ file, layer, dialect }: ConfigFile, text: string): Promise<Hook[]> {
  const config = await readConfig(file, { layer, text, bundles, ...(dialect !== undefined && { dialect }) })
  const executors = await createExecutors(config.hooks.map((hook) => hook.run.type))
  const { hooks, problems } = await validateHooks(config.hooks, executors, config.locateIn)
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const all = [...config.problems, ...problems]
  if (all.length > 0) throw new HooklineError(note('edit-refused', { file }), all)
  return hooks
}

/** Replaces the file as a whole, so that nobody ever reads half of it. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const target = await realpath(file).catch(() => file)
  const draft = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    const before = await stat(target).catch(() => undefined)
    if (before) await chmod(draft, before.mode)
    await rename(draft, target)
  } finally {
    await rm(draft, { force: true })
  }
}
