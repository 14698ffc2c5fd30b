import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { SandboxSpec } from '../../src/executors/sandbox/index.ts'
import { remove } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'
import { ask, endless } from './sandbox-ask.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-sandbox-'))
afterAll(() => remove(directory))

describe('mounts', () => {
  const host = join(directory, 'project')
  mkdirSync(join(host, 'src'), { recursive: true })
  writeFileSync(join(host, 'src', 'a.txt'), 'from the host\n')
  writeFileSync(join(directory, 'outside.txt'), 'outside\n')
  symlinkSync(join(directory, 'outside.txt'), join(host, 'escape'))
  const mounted = (command: string, mode: 'ro' | 'rw'): SandboxSpec => ({
    command,
    mounts: [{ source: host, target: '/workspace', mode }],
  })

  test('let a script read a directory of the host', async () => {
    expect((await ask(mounted('cat src/a.txt; grep -rl host .', 'ro'))).stdout).toBe('from the host\nsrc/a.txt\n')
  })

  test('that are read-only are never written', async () => {
    await expect(ask(mounted('echo changed > src/a.txt', 'ro'))).rejects.toMatchObject({
      kind: 'exit',
      message: expect.stringContaining('read-only'),
    })
    expect(
      (await ask(mounted('rm -f src/a.txt; mkdir new; touch new.txt; cp src/a.txt b.txt; true', 'ro'))).stderr,
    ).toContain('read-only')
    expect(readFileSync(join(host, 'src', 'a.txt'), 'utf8')).toBe('from the host\n')
    expect((await ask(mounted('find .', 'ro'))).stdout.trim().split('\n').sort()).toEqual([
      '.',
      './escape',
      './src',
      './src/a.txt',
    ])
  })

  test('that are read-write are written', async () => {
    expect((await ask(mounted('echo new > src/b.txt && cat src/b.txt', 'rw'))).stdout).toBe('new\n')
    expect(readFileSync(join(host, 'src', 'b.txt'), 'utf8')).toBe('new\n')
    rmSync(join(host, 'src', 'b.txt'))
  })

  test.each(['ro', 'rw'] as const)('that are %s lead nowhere else', async (mode) => {
    const { stdout } = await ask(
      mounted('cat escape; cat ../outside.txt; cat src/../../outside.txt; ln -s /etc/passwd p; cat p; true', mode),
    )
    expect(stdout).toBe('')
  })

  test('never get the payload file', async () => {
    const { stdout } = await ask(
      mounted('echo "$HOOKLINE_PAYLOAD_PATH"; jq -r .tool_name "$HOOKLINE_PAYLOAD_PATH"; ls -A', 'rw'),
    )
    expect(stdout).toMatch(/^\/run\/hooks\/.*\nshell\nescape\nsrc\n$/)
  })

  test("are found from the hook's working directory", async () => {
    const spec = { command: 'cat /m/a.txt', mounts: [{ source: 'src', target: '/m', mode: 'ro' as const }] }
    expect((await ask(spec, { workingDir: host })).stdout).toBe('from the host\n')
  })

  test('of something that is not there fail by name', async () => {
    const spec = {
      command: 'true',
      mounts: [{ source: join(directory, 'nowhere'), target: '/m', mode: 'ro' as const }],
    }
    await expect(ask(spec)).rejects.toMatchObject({
      name: 'HookFailure',
      kind: 'exit',
      message: expect.stringContaining('nowhere'),
    })
  })
})

describe('the network', () => {
  test('is not there unless the hook has one', async () => {
    expect(await ask('curl http://example.com/')).toMatchObject({ exit: 127, stdout: '' })
  })

  test('ends at the allowed prefixes, and never leads to a private address', async () => {
    let reached = 0
    const server = createServer((_, response) => {
      reached++
      response.end('reached')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const hosts = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `2130706433:${port}`,
      `0x7f.1:${port}`,
    ]
    const allow = [...hosts.map((host) => `http://${host}/`), 'https://example.com/api']
    for (const url of [
      ...hosts.map((host) => `http://${host}/x`),
      'https://example.com/',
      'https://example.com/apis',
      'https://example.com/api%2f..%2fx',
    ]) {
      const { exit, stdout, stderr } = await ask({ command: `curl -s -S '${url}'`, network: { allow } })
      expect({ url, exit: exit !== 0, stdout }).toEqual({ url, exit: true, stdout: '' })
      expect(stderr).toMatch(/not a public one|private|network\.allow|name without/)
    }
    expect(reached).toBe(0)
    server.close()
  })
})

describe('a hostile script', () => {
  test.each([
    ['an endless loop', { command: 'while :; do :; done', limits: endless }],
    ['an endless loop within the default bounds', { command: 'while :; do :; done' }],
    ['an endless awk', { command: "awk 'BEGIN { while (1) {} }'" }],
    ['endless recursion', { command: 'f() { f; }; f' }],
    ['a fork bomb', { command: ':(){ :|:& };:' }],
    ['a long sleep', { command: 'sleep 600' }],
    ['an endless jq', { command: "jq -n '[range(1e9)] | length'" }],
    ['a jq that repeats for ever', { command: "jq -n 'def f: f; f'" }],
    ['an endless sed', { command: "echo a | sed ':a;s/a/a/;ta'" }],
    ['a string that doubles', { command: 'x=aaaaaaaa; while :; do x=$x$x; done' }],
    ['an array that grows', { command: 'while :; do a+=("$(printf %1000s x)"); done', limits: endless }],
    ['braces that multiply', { command: 'echo {1..9999}{1..9999}{1..9999}' }],
    ['an awk that hoards', { command: `awk 'BEGIN { s = "x"; while (1) { s = s s; a[i++] = s } }'` }],
    ['a substitution inside itself', { command: 'f() { echo $(f); }; f' }],
  ] satisfies [string, SandboxSpec][])('%s ends as a failure by the deadline and the host goes on', async (_, spec) => {
    let ticks = 0
    const clock = setInterval(() => ticks++, 20)
    const started = performance.now()
    const ended = await ask(spec, { timeoutMs: 500 }).then(
      (reply) => ({ failed: reply.exit !== 0 }),
      (error) => ({ failed: error.name === 'HookFailure' }),
    )
    clearInterval(clock)
    const took = performance.now() - started
    expect(ended).toEqual({ failed: true })
    expect(took).toBeLessThan(soon)
    expect(ticks).toBeGreaterThanOrEqual(Math.floor(took / 20 / 10))
  })

  test.each([
    ['grep', "grep -E '^(a+)+$'"],
    ['sed', "sed -E 's/^(a+)+$/x/'"],
    ['[[ =~ ]]', 'x=$(cat); [[ $x =~ ^(a+)+$ ]] || echo "$x"'],
    ['jq test', `jq -Rr 'if test("^(a+)+$") then "x" else . end'`],
    ['awk', "awk '/^(a+)+$/ { next } 1'"],
  ])('%s does not backtrack without end', async (_, program) => {
    const text = `${'a'.repeat(40)}!`
    const { stdout } = await ask({ command: `printf '%s\\n' '${text}' | { ${program}; }; true` }, { timeoutMs: soon })
    expect(['', `${text}\n`]).toContain(stdout)
  })

  test('that fills the memory dies alone', async () => {
    const command = `awk 'BEGIN { for (i = 0; i < 900000; i++) hoard[i] = sprintf("%10000s", i) }'`
    await expect(ask(command, { timeoutMs: 5 * soon })).rejects.toMatchObject({ kind: 'signal' })
    expect((await ask('echo alive')).stdout).toBe('alive\n')
  })

  test('never has half an answer counted', async () => {
    await expect(
      ask({ command: `echo '{"decision":"allow"}'; while :; do :; done`, limits: { loop_iterations: 50 } }),
    ).rejects.toMatchObject({ kind: 'exit' })
  })

  test('does not take another script down with it', async () => {
    const bad = ask({ command: 'while :; do :; done', limits: endless }, { timeoutMs: 400 })
    const good = Promise.all(Array.from({ length: 6 }, (_, index) => ask(`sleep 0.05; echo ${index}`)))
    await expect(bad).rejects.toMatchObject({ kind: 'aborted' })
    expect((await good).map((reply) => reply.stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n'])
  })
})

describe('a process', () => {
  const program = (rest: string) => `
    import { createSandboxExecutor } from '${join(import.meta.dirname, '../../src/executors/sandbox/index.ts')}'
    import { makeCall } from '${join(import.meta.dirname, '../support/call.ts')}'
    const executor = createSandboxExecutor()
    ${rest}`
  const run = async (rest: string) => {
    const file = join(directory, `${randomUUID()}.ts`)
    writeFileSync(file, program(rest))
    const jiti = fileURLToPath(import.meta.resolve('jiti/register'))
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', jiti, file], { timeout: 3 * soon })
    return stdout
  }

  test('is not kept alive by idle threads', async () => {
    expect(await run("executor.warm?.([]); console.log('idle')")).toBe('idle\n')
  })

  test('is kept alive by a script that runs', async () => {
    const spec = "{ command: 'sleep 0.2; echo done' }"
    expect(
      await run(`executor.run(${spec}, makeCall({ type: 'sandbox' })).then((reply) => console.log(reply.stdout))`),
    ).toBe('done\n\n')
  })
})

describe('bounds', () => {
  test('of another system can be set on the hook', async () => {
    const limits = { commands: 200, loop_iterations: 2_000, call_depth: 32, script_bytes: 65_536 }
    await expect(ask({ command: 'for i in $(seq 1 300); do echo $i; done', limits })).rejects.toMatchObject({
      kind: 'exit',
      message: expect.stringContaining('200'),
    })
    await expect(ask({ command: `: ${'x'.repeat(70_000)}`, limits })).rejects.toMatchObject({ kind: 'exit' })
    expect((await ask({ command: 'for i in 1 2 3; do echo $i; done', limits })).stdout).toBe('1\n2\n3\n')
  })

  test('of output count stdout and stderr together', async () => {
    const command = 'printf "%600s" x; printf "%600s" x >&2'
    expect((await ask({ command, output_limit: 1_200 })).exit).toBe(0)
    await expect(ask({ command, output_limit: 1_199 })).rejects.toMatchObject({ kind: 'output-limit' })
    await expect(ask('printf "%65537s" x')).rejects.toMatchObject({ kind: 'output-limit' })
  })

  test('allow work on a payload of some size', async () => {
    const payload = { items: Array.from({ length: 20_000 }, (_, index) => ({ index, name: `item ${index}` })) }
    expect((await ask("jq '[.items[] | select(.index > 9)] | length'", { payload })).stdout).toBe('19990\n')
  })
})
