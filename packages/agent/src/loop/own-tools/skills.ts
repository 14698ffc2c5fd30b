import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { findSkills, readSkill, type Skill } from '../../tools/index.ts'
import type { Session } from '../session.ts'
import { placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'
import { runChild } from './transfer-task.ts'

/** What the agent can learn when it needs it (docker-agent's `skills`). */
export function skills(session: Session): Tool[] {
  const { spec, shared } = session
  if (!spec.skills) return []
  const found = findSkills(spec.skills, shared.options.cwd)
  const [read, forked] = [found.filter(({ forks }) => !forks), found.filter(({ forks }) => forks)]
  return [...(read.length > 0 ? [readTool(read)] : []), ...(forked.length > 0 ? [runTool(session, forked)] : [])]
}

const named = (found: readonly Skill[]) =>
  z.enum(found.map(({ name }) => name) as [string, ...string[]]).check(z.describe('Which skill.'))
const listed = (found: readonly Skill[]) => found.map(({ name, description }) => `- ${name}: ${description}`).join('\n')

function readTool(found: readonly Skill[]): Tool {
  return defineOwn({
    name: 'read_skill',
    description: `Read how something is done here, before you do it.\n${listed(found)}`,
    category: 'skills',
    harmless: true,
    input: z.object({
      name: named(found),
      file: z.optional(text('Another file of the skill; SKILL.md, if left out.')),
    }),
    async run({ name, file }) {
      return { content: readSkill(found.find((skill) => skill.name === name)!, file) }
    },
  })
}

/** Such a skill works in a conversation of its own, as a sub-agent does. */
function runTool(session: Session, found: readonly Skill[]): Tool {
  return defineOwn({
    name: 'run_skill',
    description: `Have a skill do a task, in a conversation of its own, and wait for the answer.\n${listed(found)}`,
    category: 'skills',
    harmless: true,
    orderly: true,
    input: z.object({ name: named(found), task: text('The task, complete in itself.') }),
    async run({ name, task }, { signal, id }) {
      const skill = found.find((each) => each.name === name)!
      const { skills: _, ...spec } = session.spec
      const instruction = `${spec.instruction}\n\n${readSkill(skill)}`.trim()
      const end = await runChild(session, { ...spec, instruction }, task, signal, placeOf(session, id, 'tool'))
      if (end.reason === 'normal') return { content: end.response }
      return {
        content: `${name} did not finish (${end.reason}). ${end.detail ?? ''}\n${end.response}`.trim(),
        error: true,
        ...(end.reason === 'halted' ? { halt: end.detail ?? '' } : {}),
      }
    },
  })
}
