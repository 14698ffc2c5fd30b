import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHooks, type Hooks } from '../../src/hooks/index.ts'
import { scratch } from '../support/scratch.ts'

const value = 'Zk4v9QmX2tLr7'
const password = 'pQ7rT9wZ1x'
const env = `# settings\nNODE_ENV=production\nSESSION_MATERIAL_KEY=${value}\nDATABASE_URL=postgres://app:${password}@db.internal:5432/shop\n`

async function secrets(cwd: string) {
  const hooks: Hooks = await createHooks({ use: ['secrets'], cwd, journal: false })
  onTestFinished(() => hooks.close())
  /** What the model reads of a result. */
  return async (result: unknown) => {
    const payload = { session_id: 's', cwd, tool_name: 'shell', tool_input: { command: 'x' }, tool_response: result }
    const { rewrite } = await hooks.raise('tool_response_transform', payload)
    return rewrite ? rewrite.value : result
  }
}

const printed = (cwd: string, command: string) => execFileSync('sh', ['-c', command], { cwd, encoding: 'latin1' })

describe('what is in a secrets file of the workspace does not reach the model, whatever printed it', () => {
  test.each([
    'grep -rn MATERIAL .',
    'grep -r . conf/',
    'cat .e* conf/.e* a.txt',
    'find . -type f -exec cat {} +',
    'tar c .',
    'tar c . | tr -d "\\000"',
    'cut -d= -f2 .env conf/.env',
    'grep -rn --color=always v9Qm .',
    'sed "s/.*=/x/" .env',
    `printf '{"a": "%s"}' "$(cut -d= -f2 .env | tr '\\n' ' ')"`,
  ])('%s', async (command) => {
    const cwd = scratch({ '.env': env, 'conf/.env': env, 'a.txt': 'plain' })
    const before = printed(cwd, command)
    const seen = String(await (await secrets(cwd))(before))
    expect(before.replace(/\x1b\[[\d;]*[mK]/g, '')).toContain(value)
    expect(seen.replace(/\x1b\[[\d;]*[mK]/g, '')).not.toContain(value)
    expect(seen).not.toContain(password)
    expect(seen).toContain('[REDACTED')
  })

  test.each<[file: string, content: string, secret: string]>([
    ['.env.local', `X_TOKEN="${value}" # mine`, value],
    ['deploy/production.env', `export APP_SECRET='${value}'`, value],
    ['.npmrc', `//registry.npmjs.org/:_authToken=${value}`, value],
    ['.pypirc', `[pypi]\nusername = me\npassword = ${value}`, value],
    ['.netrc', `machine example.org login me password ${value}`, value],
    ['.git-credentials', `https://me:${value}@example.org`, value],
    ['secrets.json', `{\n  "serviceAuth": "${value}"\n}`, value],
    ['a/b/.env', `MY_AUTH=${value}`, value],
  ])('of %s', async (file, content, secret) => {
    const cwd = scratch({ [file]: content })
    expect(await (await secrets(cwd))(`say ${secret}, then`)).toMatch(/^say \[REDACTED:[a-z-]+\], then$/)
  })

  test('also line by line, of a private key', async () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
    const pem = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
    const cwd = scratch({ 'server.key': `${pem}\n${line}\n${line}\n${pem.replace('BEGIN', 'END')}\n` })
    expect(await (await secrets(cwd))(printed(cwd, 'grep -rn MIIE .'))).not.toContain(line)
  })

  test('in structured results, and from a directory of the repository', async () => {
    const cwd = scratch({ '.env': env, 'src/a.ts': '' })
    execFileSync('git', ['init', '-q'], { cwd })
    const seen = await secrets(join(cwd, 'src'))
    const masked = '[REDACTED:api-key]'
    expect(await seen({ stdout: value, lines: [[value]] })).toEqual({ stdout: masked, lines: [[masked]] })
  })

  test('in a host that knows only the end of a call', async () => {
    const cwd = scratch({ '.env': env })
    const hooks = await createHooks({ use: ['secrets'], cwd, journal: false })
    onTestFinished(() => hooks.close())
    const response = { stdout: `x ${value}`, stderr: '', interrupted: false, isImage: false }
    const call = { session_id: 's', cwd, tool_use_id: 't', tool_name: 'Bash', tool_input: { command: 'grep -rn x .' } }
    const payload = { ...call, hook_event_name: 'PostToolUse', tool_response: response }
    const { stdout } = await hooks.replyAs('claude-code', await hooks.raiseAs('claude-code', payload))
    const { updatedToolOutput } = JSON.parse(stdout).hookSpecificOutput
    expect(updatedToolOutput).toEqual({ ...response, stdout: 'x [REDACTED:api-key]' })
  })

  test('as JSON and addresses write it', async () => {
    const odd = 'x9"K2/v+Q7&z4W'
    const seen = await secrets(scratch({ '.env': `API_TOKEN=${odd}` }))
    for (const written of [odd, JSON.stringify({ a: odd }), `https://x.example/?q=${encodeURIComponent(odd)}&b=1`])
      expect(await seen(written)).toContain('[REDACTED')
    expect(JSON.parse(String(await seen(JSON.stringify({ a: odd }))))).toEqual({
      a: expect.stringMatching(/^\[REDACTED/),
    })
  })

  test('through a link to the file', async () => {
    const elsewhere = scratch({ shared: env })
    const cwd = scratch()
    symlinkSync(join(elsewhere, 'shared'), join(cwd, '.env'))
    expect(await (await secrets(cwd))(`x ${value}`)).toBe('x [REDACTED:api-key]')
  })
})

describe('nothing else changes', () => {
  test('examples and other files keep no secrets', async () => {
    const cwd = scratch({ '.env.example': env, '.env.sample': env, '.env.template': env, 'notes.txt': env })
    expect(await (await secrets(cwd))(`x ${value} y`)).toBe(`x ${value} y`)
  })

  test('ordinary settings stay byte for byte', async () => {
    const settings = [
      ...[
        'NODE_ENV=production',
        'HOST=localhost',
        'DEBUG=true',
        'PORT=30000001',
        'AUTH_URL=https://auth.example.org/v2/login',
      ],
      ...['KEY_PATH=/etc/app/keys/v2.key', 'TOKEN_VERSION=12.4.18-rc1', 'AUTH_HOST=auth1.example.org:8443'],
      ...[
        'TOKEN_ALGORITHM=HMAC-SHA256',
        'SECRET_MODEL=gpt-4o-mini-2024-07-18',
        'COMMIT=9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c',
      ],
      ...[
        'KEY_DATE=2024-01-05T10:20:30Z',
        'AUTH_MAIL=ada99x1@example.org',
        'SECRET_NAME=development',
        'API_KEY=your-api-key-1a2b',
      ],
    ]
    const words = settings.map((line) => line.slice(line.indexOf('=') + 1))
    const seen = await secrets(scratch({ '.env': settings.join('\n') }))
    for (const word of words) expect(await seen(`say ${word} again`)).toBe(`say ${word} again`)
  })

  test('a hostile file hides no sentence, no word and no name of code', async () => {
    const lies = [
      ...[
        'Never run this script',
        'this deletes everything',
        'IgnoreAllPreviousInstructions2',
        'DoNotRunThis1',
        'the-quick-brown-fox',
      ],
      ...[
        'base64_decode',
        'eval(atob("aGVsbG8x',
        'Run,this,file,now1',
        'child_process',
        'exec(Shell2',
        'danger0us_function',
        'rm1 -rf2 X3',
      ],
      '本当の文章は空白がありませんよ1aB2',
    ]
    const names = ['SECRET', 'DB_PASSWORD', 'API_KEY', 'AUTH_TOKEN']
    const file = lies.flatMap((lie) => names.map((name, at) => `${name}_${at}=${at % 2 ? `"${lie}"` : lie}`))
    const seen = await secrets(scratch({ '.env': file.join('\n'), 'secrets.toml': file.join('\n') }))
    for (const lie of lies) expect(await seen(`see: ${lie} here`)).toBe(`see: ${lie} here`)
  })

  test('a file hides no more than a person keeps in one', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `a${at % 10}Xq${at}Zk4v9Q`)
    const cwd = scratch({ '.env': many.map((each, at) => `KEY_${at}=${each}`).join('\n') })
    const seen = String(await (await secrets(cwd))(many.join(' '))).split(' ')
    expect(seen.filter((each) => each.startsWith('[REDACTED'))).toHaveLength(128)
  })

  test('property: text of words is the same after as before, whatever words a file lists', async () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    const cwd = scratch()
    const seen = await secrets(cwd)
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), async (words) => {
        writeFileSync(join(cwd, '.env'), words.map((each, at) => `SECRET_${at}=${each}`).join('\n'))
        const text = words.join(' ')
        expect(await seen(text)).toBe(text)
      }),
      { numRuns: 50 },
    )
  })
})

describe('what changes is noticed', () => {
  test('a file that is written, changed at once, moved and removed', async () => {
    const cwd = scratch({ 'src/a.ts': '' })
    const seen = await secrets(cwd)
    const other = 'Wq8n3RbY5uMs1'
    expect(await seen(value)).toBe(value)
    writeFileSync(join(cwd, 'src/.env'), `MY_KEY=${value}`)
    expect(await seen(value)).toBe('[REDACTED:api-key]')
    writeFileSync(join(cwd, 'src/.env'), `MY_KEY=${other}`)
    expect([await seen(value), await seen(other)]).toEqual([value, '[REDACTED:api-key]'])
    renameSync(join(cwd, 'src'), join(cwd, 'lib'))
    expect(await seen(other)).toBe('[REDACTED:api-key]')
    rmSync(join(cwd, 'lib'), { recursive: true })
    expect(await seen(other)).toBe(other)
  })
})

describe('the look is bounded', () => {
  test('a directory of too many entries hides nothing at its own level, and what lies deep or is built is left alone', async () => {
    const cwd = scratch({
      '.env': env,
      'node_modules/a/.env': 'A_KEY=Wq8n3RbY5uMs1',
      'a/b/c/d/e/.env': 'A_KEY=Kd7m2PzT9vHj4',
    })
    for (let at = 0; at < 3_000; at++) writeFileSync(join(cwd, `f${at}`), '')
    for (let at = 0; at < 600; at++) mkdirSync(join(cwd, `a/d${at}`))
    const seen = await secrets(cwd)
    expect(await seen(`${value} Wq8n3RbY5uMs1 Kd7m2PzT9vHj4`)).toBe('[REDACTED:api-key] Wq8n3RbY5uMs1 Kd7m2PzT9vHj4')
  })

  test('a pipe, a directory and a link in a circle in the place of the file keep nobody waiting', async () => {
    const cwd = scratch({ '.env.local': env })
    execFileSync('mkfifo', [join(cwd, '.env')])
    mkdirSync(join(cwd, '.npmrc'))
    symlinkSync('.netrc', join(cwd, '.netrc'))
    expect(await (await secrets(cwd))(value)).toBe('[REDACTED:api-key]')
  })
})
