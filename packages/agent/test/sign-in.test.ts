import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../../hookline/test/support/scratch.ts'
import type { Invitation } from '../src/tools/index.ts'
import { guardedServer, pixel } from './sign-in-server.ts'
import { workplace } from './terminal/support.ts'
import { bench } from './tools-support.ts'

/** A person with a browser who signs in wherever they are sent. */
function person(directory: string) {
  const pages: string[] = []
  const invite = ({ url }: Invitation) =>
    void fetch(url).then(async (answer) => pages.push(`${answer.status} ${await answer.text()}`))
  return { pages, signIn: { directory, invite } }
}

const toolset = (url: string, oauth?: object) => ({
  type: 'mcp',
  name: 'guarded',
  remote: { url, ...(oauth && { oauth }) },
  allow_private_ips: true,
})

describe('a server that wants to know who asks', () => {
  it('is signed in to once with a browser, and again only when its tokens cannot be renewed', async () => {
    const server = await guardedServer()
    const directory = join(scratch({}), 'mcp')
    const { pages, signIn } = person(directory)
    const first = await bench([toolset(server.url)], {}, { signIn })
    expect(first.notes).toEqual([])
    expect(await first.call('mcp_guarded_whoami', {})).toEqual({ content: 'You are Ada.' })
    expect(server.seen).toEqual(['register', 'authorize', 'token authorization_code', 'call'])
    expect(pages).toEqual([expect.stringMatching(/^200 Signed in\./)])
    const [file = ''] = readdirSync(directory)
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600)

    // Another session, with nobody there: what was kept is enough, also when it has to be renewed meanwhile.
    const later = await bench([toolset(server.url)], {}, { signIn: { directory } })
    server.expire('access')
    expect(await later.call('mcp_guarded_whoami', {})).toEqual({ content: 'You are Ada.' })
    expect(server.seen.slice(4)).toEqual(['token refresh_token', 'call'])

    server.expire('all')
    expect(await first.call('mcp_guarded_whoami', {})).toEqual({ content: 'You are Ada.' })
    expect(server.seen.slice(6)).toEqual(['token refresh_token', 'authorize', 'token authorization_code', 'call'])

    server.expire('all')
    const { content, error } = await later.call('mcp_guarded_whoami', {})
    expect(error).toBe(true)
    expect(content).toMatch(/wants you to sign in, and nobody is here.*at a terminal once.*remote\.headers/)
  })

  it('is a warning that says what to do where nobody can sign in, and no client is registered', async () => {
    const server = await guardedServer()
    const { notes, names } = await bench([toolset(server.url), 'think'], {}, { signIn: { directory: scratch({}) } })
    expect(notes).toMatchObject([{ code: 'toolset-failed', message: expect.stringMatching(/at a terminal once/) }])
    expect(names()).toEqual(['think'])
    expect(server.seen).toEqual([])
  })

  it('a sign-in that is refused is a warning with its reason, and a forged answer is turned away', async () => {
    const server = await guardedServer()
    server.refuse()
    const statuses: number[] = []
    const invite = async ({ url, port }: Invitation) => {
      statuses.push((await fetch(`http://127.0.0.1:${port}/callback?code=forged&state=guessed`)).status)
      await fetch(url)
    }
    const signIn = { directory: scratch({}), invite: (given: Invitation) => void invite(given) }
    const { notes } = await bench([toolset(server.url)], {}, { signIn })
    expect(notes).toMatchObject([{ code: 'toolset-failed', message: expect.stringMatching(/refused.*access_denied/) }])
    expect(statuses).toEqual([400])
    expect(server.seen).toEqual(['register', 'authorize'])
  })

  it('a client that is registered already is named in the file; its port is the one that is named', async () => {
    const server = await guardedServer({ registers: false })
    const { signIn } = person(scratch({}))
    const callbackPort = await new Promise<number>((resolve) => {
      const free = createServer().listen(0, '127.0.0.1', () => {
        const { port } = free.address() as { port: number }
        free.close(() => resolve(port))
      })
    })
    const { call, notes } = await bench(
      [toolset(server.url, { clientId: 'known-client', callbackPort })],
      {},
      { signIn },
    )
    expect(notes).toEqual([])
    expect(server.seen).toEqual(['authorize', 'token authorization_code'])
    const { attachments } = await call('mcp_guarded_portrait', {})
    expect(attachments).toEqual([{ name: 'image', media_type: 'image/png', data: pixel }])
    const insecure = { clientId: 'known-client', callbackRedirectURL: 'http://elsewhere.example/cb' }
    const refused = await bench([toolset(server.url, insecure)], {}, { signIn })
    expect(refused.notes).toMatchObject([{ message: expect.stringMatching(/must be an https address/) }])
  })

  it('at a terminal, the address is shown and opened in the browser; the picture that a tool returns is in its event', async () => {
    const server = await guardedServer()
    const agent = {
      agents: { root: { model: 'rehearsal', instruction: 'x', toolsets: [toolset(server.url)] } },
    }
    const play = {
      rehearsal: 1,
      turns: [{ when: { user: 'who' }, call: { tool: 'mcp_guarded_portrait', input: {} } }],
      default: { say: 'So it is.' },
    }
    const { cwd, screen: open } = workplace({
      'agent.json': JSON.stringify(agent),
      'play.json': JSON.stringify(play),
      'hookline.yaml': 'version: 1\nhooks: [{ id: see, event: post_tool_use, run: cat > seen.json }]\n',
    })
    const browser = join(cwd, '../browser')
    writeFileSync(browser, `#!${process.execPath}\nfetch(process.argv[2])\n`, { mode: 0o755 })
    const screen = open(['agent.json', '--rehearse', 'play.json', '--trust', 'all', '--yolo'], {
      env: { BROWSER: browser, XDG_STATE_HOME: join(cwd, '../state') },
    })
    await screen.shows(/─{20}\n\s*\n─{20}/)
    screen.types('who am I?\r')
    await screen.shows(/The MCP server guarded wants you to sign in\. Your browser opens:\s+http:\/\/127/)
    await screen.shows('So it is.')
    await screen.shows('(image/png')
    expect(JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'))).toMatchObject({
      tool_response: expect.stringMatching(/^You are Ada\.\n\(image\/png, \d+ bytes\)$/),
      attachments: [{ name: 'image', media_type: 'image/png', bytes: Buffer.byteLength(pixel, 'base64') }],
    })
  })
})
