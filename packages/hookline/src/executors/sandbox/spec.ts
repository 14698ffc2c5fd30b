import * as z from 'zod/mini'

const describe = (text: string) => z.describe(text)
const limit = (text: string) => z.optional(z.int().check(z.positive(), describe(text)))
const virtualPath = z
  .string()
  .check(z.regex(/^\/(?!.*(?:\/|^)\.\.?(?:\/|$))[^\0]+$/, 'must be an absolute path without `.` or `..`'))

const mount = z.strictObject({
  source: z
    .string()
    .check(
      z.minLength(1),
      describe("A directory of the host; relative to the hook's `working_dir`, or to the agent's."),
    ),
  target: virtualPath.check(
    z.regex(/^\/(?!(?:bin|dev|proc|run|usr)(?:\/|$))/, 'must leave the directories of the sandbox itself alone'),
    describe('Where the script sees it.'),
  ),
  mode: z.enum(['ro', 'rw']).check(describe('`rw` lets the script change files of the host.')),
})

const limits = z.strictObject({
  commands: limit('Commands run, all in all.'),
  loop_iterations: limit('Rounds of one loop.'),
  call_depth: limit('Functions inside functions.'),
  script_bytes: limit('Length of the script.'),
})

export const sandboxSpec = z.strictObject({
  command: z.string().check(z.regex(/\S/, 'must not be blank'), describe('A POSIX shell script.')),
  mounts: z.optional(z.array(mount).check(z.maxLength(16))),
  files: z.optional(
    z.record(virtualPath, z.string()).check(describe('Files that are there when the script starts, by absolute path.')),
  ),
  network: z.optional(
    z.strictObject({
      allow: z
        .array(z.url({ protocol: /^https?$/ }))
        .check(describe('URL prefixes that `curl` may ask. Private addresses are refused all the same.')),
    }),
  ),
  output_limit: limit('Bytes of stdout and stderr together. Default 65536.'),
  limits: z.optional(limits.check(describe('Bounds inside the deadline, such as another system promises.'))),
})

export type SandboxSpec = z.infer<typeof sandboxSpec>
