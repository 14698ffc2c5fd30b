import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectDaemon, type PendingQuestion } from '../../src/daemon/index.ts'
import { noPersonAt, setPassphrase } from '../../src/person/index.ts'
import { hookline, type SessionOptions, startHookline, unmarked } from '../support/cli.ts'
import { type Call, call } from '../support/daemon-call.ts'
import { scratch } from '../support/scratch.ts'
import { screen } from '../support/screen.ts'

const config = `version: 1
rules:
  - id: sure
    ask: { run: npm publish }
    because: It is for everybody.
    instead: Run npm publish --dry-run.
  - id: quite-sure
    ask: { run: make deploy }
`

/** A person, their daemon, and agents that work in a project and cannot ask. */
async function world() {
  const root = scratch({ 'shop/hookline.yaml': config })
  const cwd = join(root, 'shop')
  const env = {
    ...{ HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') },
    ...{ XDG_DATA_HOME: join(root, 'd'), NO_COLOR: '1', LANG: 'C.UTF-8', LC_ALL: '', HOOKLINE_APPROVE_TOKEN: '' },
  }
  const options: SessionOptions = { cwd, env }
  const socket = join(root, 'd/hookline/run/daemon.sock')
  const { child, session } = startHookline(['daemon'], options)
  onTestFinished(() => void child.kill('SIGKILL'))
  const daemon = await until(() => connectDaemon({ socket }))
  onTestFinished(() => daemon.close())
  return {
    root,
    cwd,
    env,
    daemon,
    session,
    run: (...args: string[]) => hookline(args, '', options),
    watch: (columns = 110) => screen(['watch'], { cwd, env, columns, rows: 24, ignoresCode: true }),
    terminal: (...args: string[]) => screen(args, { cwd, env, columns: 110, rows: 24, ignoresCode: true }),
    call: (command: string, given: Partial<Call> = {}) => call(socket, { cwd, command, env, ...given }),
    pending: async () => (await daemon.request('pending', {})).pending,
    /** Waits for the only question. */
    question: () =>
      until(async () => {
        const { pending, attended } = await daemon.request('pending', {})
        return attended ? pending[0] : undefined
      }) as Promise<PendingQuestion>,
    attended: () => until(async () => (await daemon.request('status', {})).attended || undefined),
    answers: async () => {
      const { stdout } = await hookline(['log', '--json', '--event', 'on_tool_approval_decision'], '', options)
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { payload: Record<string, unknown> }).payload)
    },
  }
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await delay(20)
  }
}

/** Reads the code that proves a person, and types it. */
async function proves(at: ReturnType<typeof screen>): Promise<void> {
  await at.shows(/Type \d{4} to confirm:/)
  at.types(`${/Type (\d{4}) to confirm/.exec(at.text())![1]}\r`)
}

describe('an answer that goes to the socket past the command', () => {
  it('is refused unless it shows its process, and that a person may sit there; the question goes on waiting', async () => {
    const { daemon, call, question, cwd } = await world()
    await daemon.request('subscribe', { attached: true })
    const asked = call('npm publish')
    const { id } = await question()
    const away = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void away.kill('SIGKILL'))
    const given = { answer: 'yes' } as const
    await expect(daemon.request('answer', { question: id, given, pid: away.pid! })).rejects.toThrow(/process|person/)
    await expect(daemon.request('answer', { question: id, given } as never)).rejects.toThrow(/process/)
    await expect(daemon.request('answer', { question: id, given: null, pid: 1 } as never)).rejects.toThrow(/no answer/)
    expect(noPersonAt(away.pid!, cwd)).toMatch(/Only a person/)
    expect((await question()).id).toBe(id)
    daemon.close()
    expect((await asked).decision).toBe('deny')
  })

  it.runIf(process.platform === 'linux' && spawnSync('script', ['--version']).status === 0)(
    'is refused from a terminal that a program holds, unless a passphrase proves the person',
    async () => {
      const directory = scratch()
      const held = `setsid script -qec 'echo $$ > ${directory}/pid; exec sleep 600' /dev/null < /dev/null > /dev/null 2>&1 &`
      spawnSync('sh', ['-c', held], { env: unmarked(process.env) })
      const read = async () =>
        Number(readFileSync(join(directory, 'pid'), { encoding: 'utf8', flag: 'a+' })) || undefined
      const pid = await until(read)
      onTestFinished(() => void process.kill(pid, 'SIGKILL'))
      expect(noPersonAt(pid, directory)).toMatch(/Only a person answers, and `script` types/)
      setPassphrase(directory, 'correct horse')
      expect(noPersonAt(pid, directory)).toBeUndefined()
    },
  )
})

describe('a question that an agent cannot ask', () => {
  it('is refused at once where nobody is attached, with what to do instead; a stream is nobody', async () => {
    const { call, answers, cwd, env } = await world()
    const streaming = startHookline(['watch', '--json'], { cwd, env })
    onTestFinished(() => void streaming.child.kill())
    await until(async () => (streaming.session.stdout.includes('"running":true') ? true : undefined))
    const { decision, reason } = await call('npm publish')
    expect(decision).toBe('deny')
    expect(reason).toMatch(/codex cannot ask its user about this, so it does not run\.$/)
    await until(async () => (streaming.session.stdout.includes('question_unattended') ? true : undefined))
    expect(await answers()).toMatchObject([{ approval_decision: 'deny', approval_source: 'question_unattended' }])
  })

  it('waits in watch, is answered by one key of a proven person, and for the session', async () => {
    const { call, watch, answers, attended } = await world()
    const shown = watch()
    await shown.shows('0 waiting')
    await attended()
    const first = call('npm publish')
    await shown.shows(/1 waiting[\s\S]*\? 1 waiting +codex +shop +npm publish[\s\S]*\[y\] once/)
    shown.types('d')
    await shown.shows(/asked by +sure/)
    shown.types('\x1b')
    await shown.shows((text) => !/asked by/.test(text))
    await press(shown, 'y', /Type \d{4} to confirm:/)
    await proves(shown)
    expect(await first).toEqual({})
    await shown.shows(/✓ npm publish +yes by .+ after \d+ s/)
    const second = call('npm publish')
    await shown.shows(/\? 1 waiting/)
    await press(shown, 's', /Yes, for this session/)
    expect(await second).toEqual({})
    expect(await call('npm publish')).toEqual({})
    const other = call('npm publish', { session: 's2' })
    await shown.shows(/\? 1 waiting/)
    await press(shown, 'N', /Why not\?/)
    shown.types('Not today.\r')
    expect(await other).toEqual({ decision: 'deny', reason: 'The user said no: Not today.' })
    const sources = (await answers()).map(({ approval_source }) => approval_source)
    expect(sources).toEqual(['user_approved', 'user_approved_session', 'user_approved_session', 'user_rejected'])
    expect(await answers()).toMatchObject([
      { approval_by: expect.stringMatching(/ at \/dev\/pts\/\d+$/), approval_ms: expect.any(Number) },
      {},
      {},
      { approval_reason: 'Not today.' },
    ])
    shown.types('q')
    await shown.ended()
  })

  it('answered for always writes the rule that it showed whole, in 70 columns too, and is never asked again', async () => {
    const { call, watch, root, attended, pending } = await world()
    const own = join(root, 'config/hookline/hooks.yaml')
    const shown = watch(70)
    await shown.shows('0 waiting')
    await attended()
    const asked = call('make deploy')
    await shown.shows(/\? 1 waiting/)
    // The project has rules that nobody has approved: there, an allow would not hold.
    await press(shown, 'a', /Adds to .*hooks\.yaml:\s+allow: \{ run: make deploy \}\s+Add it\? \[y\/N\]/)
    expect(existsSync(own)).toBe(false)
    shown.types('y\r')
    await proves(shown)
    expect(await asked).toEqual({})
    expect(readFileSync(own, 'utf8')).toContain('allow: { run: make deploy }')
    expect(await call('make deploy', { session: 's2' })).toEqual({})
    expect(await pending()).toEqual([])
  })

  it('is refused at once when the last watch goes, however it goes; who answers then is told', async () => {
    const { call, watch, question, terminal, attended } = await world()
    const shown = watch()
    await shown.shows('0 waiting')
    await attended()
    const asked = call('npm publish')
    const { id } = await question()
    process.kill(shown.pid, 'SIGKILL')
    expect(await asked).toMatchObject({ decision: 'deny', reason: expect.stringMatching(/Nobody answered/) })
    const late = terminal('answer', id, 'yes')
    await late.shows('Too late')
    expect((await late.ended()).exit).toBe(1)
  })

  it('is listed and answered from any terminal, once, and never under an agent', async () => {
    const { call, watch, question, terminal, run, cwd, env, attended } = await world()
    const shown = watch()
    await shown.shows('0 waiting')
    await attended()
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    const asked = call(`npm publish --otp ${secret}`)
    const { id } = await question()
    const listed = JSON.parse((await run('pending', '--json')).stdout) as PendingQuestion[]
    expect(listed).toMatchObject([{ id, host: 'codex', cwd, hooks: ['sure'] }])
    expect(JSON.stringify(listed)).not.toContain(secret)
    expect(shown.text()).not.toContain(secret)
    expect((await run('answer', id, 'yes')).stderr).toMatch(/needs a person/)
    const agent = screen(['answer', id, 'yes'], { cwd, env: { ...env, CLAUDECODE: '1' }, columns: 110 })
    expect(await agent.ended()).toMatchObject({ exit: 1, screen: expect.stringMatching(/needs a person/) })
    const first = terminal('answer', id, 'no', '--reason', 'Later.')
    await proves(first)
    expect((await first.ended()).exit).toBe(0)
    expect(await asked).toMatchObject({ decision: 'deny', reason: 'The user said no: Later.' })
    const second = terminal('answer', id, 'yes')
    expect(await second.ended()).toMatchObject({ exit: 1, screen: expect.stringMatching(/answered it already/) })
    expect((await run('pending')).stdout).toBe('Nothing is waiting for you.\n')
  })
})

/** What is typed sooner than a person can have read the question is not taken for its answer. */
async function press(at: ReturnType<typeof screen>, key: string, look: RegExp): Promise<void> {
  await delay(500)
  at.types(key)
  await at.shows(look)
}
