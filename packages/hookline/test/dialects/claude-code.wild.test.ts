import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

/** Settings as people keep them in their dotfiles, projects and plugins: whole files, with everything around the hooks. */
playGoldens('claude-code', join(import.meta.dirname, 'claude-code/wild'), '.claude/settings.json')
