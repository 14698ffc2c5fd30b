import { describe, expect, test } from 'vitest'
import { validate } from '../../src/core/index.ts'
import { createSandboxExecutor, type SandboxSpec } from '../../src/executors/sandbox/index.ts'
import { executorContract } from './contract.ts'
import { ask, endless, executor, session } from './sandbox-ask.ts'

executorContract<SandboxSpec>('sandbox', {
  make: createSandboxExecutor,
  answers: ({ exit = 0, stdout = '', stderr = '' }) => ({
    command: 'cat /reply/stdout; cat /reply/stderr >&2; exit "$(cat /reply/exit)"',
    files: { '/reply/stdout': stdout, '/reply/stderr': stderr, '/reply/exit': String(exit) },
  }),
  hangs: () => ({ command: 'while :; do :; done', limits: endless }),
  floods: (bytes) => ({ command: `printf "%${bytes}s" x` }),
  crashes: () => ({ command: 'again() { again; }; echo "{}"; again' }),
  echoesPayload: () => ({ command: 'cat' }),
})

describe('the payload', () => {
  const payload = { session_id: 'p', tool_name: 'shell', tool_input: { command: "it's “é” 漢字 🙂 $HOME `x`" } }
  const command = payload.tool_input.command

  test.each([
    ['on stdin', 'jq -r .tool_input.command'],
    ['on stdin, for read', 'read -r line; printf "%s" "$line" | jq -r .tool_input.command'],
    ['in a variable', "jq -rn 'env.HOOKLINE_PAYLOAD_JSON | fromjson | .tool_input.command'"],
    ['in a quoted variable', 'echo "$HOOKLINE_PAYLOAD_JSON" | jq -r .tool_input.command'],
    ['in a file', 'cat "$HOOKLINE_PAYLOAD_PATH" | jq -r .tool_input.command'],
  ])('arrives %s', async (_, script) => {
    expect((await ask(script, { payload })).stdout).toBe(`${command}\n`)
  })

  test('is gone from the file system when the script has ended, also if the script changed it', async () => {
    const { stdout } = await ask(
      'echo changed >> "$HOOKLINE_PAYLOAD_PATH"; echo kept > kept; echo "$HOOKLINE_PAYLOAD_PATH"',
      session('gone'),
    )
    expect(stdout).toMatch(/^\/workspace\/\.hooks\/under-test-[\w-]+\.json\n$/)
    expect((await ask(`ls ${stdout.trim()}; cat kept`, session('gone'))).stdout).toBe('kept\n')
  })

  test('is counted', async () => {
    const { bytes } = await ask('echo four >&2; echo é')
    expect(bytes).toMatchObject({ stdout: 3, stderr: 5 })
    expect(bytes.stdin).toBeGreaterThan(20)
  })
})

describe('`length` of jq counts the code points of a string, and is what it was elsewhere', () => {
  test.each([
    [`jq -n '"a😀é"|length'`, '3'],
    [`jq -nc '["😀","ab",[1,2],{"a":1},null,-5]|map(length)'`, '[1,2,2,1,0,5]'],
    [`jq -r --arg text "😀😀" -n '"\\($text|length) length # \\("x"|length)"'`, '2 length # 1'],
    [
      `echo '{"length":"😀x","a":[1]}' | jq -c '[.length, (.length|length), {length, a: (.a|length)}]'`,
      '["😀x",2,{"length":"😀x","a":1}]',
    ],
    [`echo '"😀x"' | jq -c 'length as $length | {length: $length, n: length} # length'`, '{"length":2,"n":2}'],
    [`echo '["a#\\"b", "length"]' | jq -c 'map(select(length > 3)) | .[length - 1:] | [.[] | length]'`, '[6]'],
    [`printf '😀\\nab\\n' | jq -R -c '[., length]' | jq -s -c '.'`, '[["😀",1],["ab",2]]'],
    [`jq -n '"abc" | [.[length-2:]] | .[0]'`, '"bc"'],
    [`jq -n 'def length: 7; [1,2]|length'`, '2'],
  ])('%s', async (script, printed) => {
    const { stdout, stderr } = await ask(script)
    expect([stdout, stderr]).toEqual([`${printed}\n`, ''])
  })
})

describe('the shell', () => {
  test('has a workspace and a home of its own', async () => {
    expect((await ask('pwd; echo "$HOME $USER"; cd && pwd')).stdout).toBe(
      '/workspace\n/home/agent agent\n/home/agent\n',
    )
  })

  test("has the hook's variables and the event's, and none of the host's", async () => {
    process.env['HOOKLINE_TEST_SECRET'] = 'of the host'
    const { stdout } = await ask('env', { env: { FROM_HOOK: '1' }, requestEnv: { FROM_EVENT: '2' } })
    delete process.env['HOOKLINE_TEST_SECRET']
    expect(stdout).toMatch(/^FROM_HOOK=1$/m)
    expect(stdout).toMatch(/^FROM_EVENT=2$/m)
    expect(stdout).not.toContain('of the host')
  })

  test('keeps the indentation of a here-document', async () => {
    expect((await ask("cat <<'END'\n  two\n\tone\nEND")).stdout).toBe('  two\n\tone\n')
  })

  test('gives exit code, stdout and stderr apart', async () => {
    expect(await ask('echo out; echo err >&2; exit 7')).toMatchObject({ exit: 7, stdout: 'out\n', stderr: 'err\n' })
  })

  test('has every program that it offers, and no other', async () => {
    const offered = executor.offers!({ command: 'true' })
    const { stdout } = await ask('ls /bin /usr/bin | grep -v : | grep . | sort -u')
    const { stdout: missing } = await ask(
      `for name in ${offered.join(' ')}; do command -v "$name" >/dev/null || echo "$name"; done`,
    )
    expect(missing).toBe('')
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((name) => !offered.includes(name)),
    ).toEqual([])
    expect((await ask('command -v curl')).exit).not.toBe(0)
    const network = { command: 'command -v curl', network: { allow: ['https://example.com/'] } }
    expect([executor.offers!(network).includes('curl'), (await ask(network)).exit]).toEqual([true, 0])
  })

  test('says that programs of the host are not in it', async () => {
    const { exit, notes } = await ask('cargo fmt --check')
    expect(exit).toBe(127)
    expect(notes).toMatchObject([{ code: 'sandbox-limit', message: expect.stringContaining('`cargo`') }])
  })

  test('says so also when the script goes on without the program', async () => {
    const { exit, notes } = await ask('python3 --version || true')
    expect(exit).toBe(0)
    expect(notes).toMatchObject([{ code: 'sandbox-limit' }])
  })

  test('says nothing when all is well', async () => {
    expect((await ask('cat nothing-here || echo "{}" | jq -c .')).notes).toEqual([])
  })

  test('sees no file of the host', async () => {
    const { stdout } = await ask(
      `cat /etc/passwd ../../etc/passwd /proc/self/environ ${import.meta.filename}; ls /; find / -name package.json`,
    )
    expect(stdout.split('\n').filter(Boolean).sort()).toEqual(['bin', 'dev', 'home', 'proc', 'tmp', 'usr', 'workspace'])
  })
})

describe('files', () => {
  test('given by the hook are there when the script starts', async () => {
    const files = { '/workspace/rules.txt': 'rm -rf /\n', '/opt/deep/er/x': 'é' }
    expect((await ask({ command: 'cat rules.txt /opt/deep/er/x', files })).stdout).toBe('rm -rf /\né')
  })

  test('given by the hook are fresh at every run, unless the session has changed them', async () => {
    const given = (text: string) => ({
      command: 'cat /etc/a; cat /etc/b; echo mine > /etc/b',
      files: { '/etc/a': text, '/etc/b': text },
    })
    expect((await ask(given('1'), session('given'))).stdout).toBe('11')
    expect((await ask(given('2'), session('given'))).stdout).toBe('2mine\n')
  })

  test('written in a session stay for that session and no other', async () => {
    await ask(
      "mkdir -p a/b && echo 'bootstrapped é' > a/b/.bootstrap; ln -s a/b/.bootstrap link; printf '\\001\\377' | cat > raw; chmod 755 raw",
      session('one'),
    )
    expect((await ask('cat link; wc -c < raw; test -x raw && echo executable', session('one'))).stdout).toMatch(
      /^bootstrapped é\n\s*[23]\nexecutable\n$/,
    )
    expect((await ask('ls -A', session('two'))).stdout).not.toContain('link')
  })

  test('removed in a session stay removed', async () => {
    await ask('echo 1 > x; mkdir d; echo 2 > d/y', session('removed'))
    await ask('rm -r x d', session('removed'))
    expect((await ask('ls', session('removed'))).stdout).toBe('')
  })

  test('stay when another script of the session is stopped, and what that one wrote does not', async () => {
    await ask('echo safe > before', session('stopped'))
    await expect(
      ask({ command: 'echo lost > after; sleep 60' }, { ...session('stopped'), timeoutMs: 300 }),
    ).rejects.toMatchObject({ kind: 'aborted' })
    expect((await ask('ls', session('stopped'))).stdout).toBe('before\n')
  })

  test('of scripts that ran at once are all kept', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(`echo ${name} > ${name}`, session('at-once'))))
    expect((await ask('cat *', session('at-once'))).stdout).toBe('a\nb\nc\nd\n')
  })

  test('without a session last no longer than the script', async () => {
    await ask('echo 1 > stray', { payload: {} })
    expect((await ask('ls', { payload: {} })).stdout).toBe('')
  })

  test('of idle sessions are dropped when there are too many, with a note', async () => {
    const own = createSandboxExecutor()
    const notes = []
    for (let index = 0; index < 300; index++)
      notes.push(...(await ask('echo 1 > x', session(`many-${index}`), own)).notes)
    expect((await ask('ls', session('many-0'), own)).stdout).toBe('')
    expect((await ask('ls', session('many-299'), own)).stdout).toBe('x\n')
    expect(notes.length).toBe(300 - 256)
    expect(notes[0]).toMatchObject({ code: 'sandbox-limit' })
    await own.close?.()
  })

  test('have a size limit, and a script that exceeds it gets an error', async () => {
    const command = 'printf "%4000000s" x > 4M; for i in 1 2 3 4 5 6 7 8; do cat 4M > copy$i; done'
    expect((await ask(command, session('full'))).stderr).toContain('ENOSPC')
  })
})

describe('the spec', () => {
  const accepts = (spec: unknown) => validate(executor.spec, spec).ok
  test('is strict', () => {
    expect(accepts({ command: 'true' })).toBe(true)
    expect(accepts({ command: ' ' })).toBe(false)
    expect(accepts({ command: 'true', timeout: 3 })).toBe(false)
    expect(accepts({ command: 'true', network: { allow: ['ftp://x.example/'] } })).toBe(false)
    expect(accepts({ command: 'true', files: { 'relative/path': '' } })).toBe(false)
    expect(accepts({ command: 'true', files: { '/a/../b': '' } })).toBe(false)
  })

  test.each(['/', '/bin', '/dev/x', '/run', 'workspace', '/a/../b', '/a/.'])('refuses a mount at %s', (target) => {
    expect(accepts({ command: 'true', mounts: [{ source: '.', target, mode: 'ro' }] })).toBe(false)
  })

  test.each(['/workspace', '/mnt/data', '/binaries', '/a.b/c..d'])('takes a mount at %s', (target) => {
    expect(accepts({ command: 'true', mounts: [{ source: '.', target, mode: 'rw' }] })).toBe(true)
  })
})
