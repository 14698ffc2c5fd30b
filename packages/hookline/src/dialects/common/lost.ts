import { type Note, note } from '../../core/index.ts'

/** Says what a system has no word for, and what to do about it. */
export type Lost = (what: string, fix: string) => void

/** Notes what is lost on the way to that system, of one hook where it is about one. */
export function noteLost(notes: Note[], dialect: string, hook?: string): Lost {
  return (what, fix) => notes.push(note('translation-lost', { what, dialect, fix }, hook === undefined ? {} : { hook }))
}
