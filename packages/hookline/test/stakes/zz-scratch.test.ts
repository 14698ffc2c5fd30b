import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHooks, type HooksOptions } from '../../src/index.ts'
import { ordinarySessions } from '../rules/sessions.ts'
import { project } from '../rules/support.ts'
import { dangerousByClass } from './dangerous.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, stdio: 'ignore' })

const write = (root: string, files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

/** A home with a repository in it: files that are committed, changed, untracked, ignored, and made again. */
function workspace(changed = true): { home: string; cwd: string } {
  const home = project({ 'projects/a.txt': '1', 'Documents/b.txt': '2' })
  const cwd = join(home, 'work/app')
  write(cwd, {
    '.gitignore': 'node_modules\ndist\n.env*\n*.sqlite\nuploads\n',
    'package.json': JSON.stringify({ scripts: { clean: 'rm -rf dist', wipe: 'rm -rf uploads' } }),
    'src/changed.ts': '1',
    'src/clean.ts': '1',
    'docs/guide.md': '1',
    'scripts/wipe.sh': 'rm -rf ~/projects\n',
    Makefile: 'DATA := uploads\nclean:\n\trm -rf dist\nwipe: clean\n\trm -rf $(DATA)\n',
  })
  git(cwd, 'init', '-q', '-b', 'feature/x')
  git(cwd, 'remote', 'add', 'origin', 'https://github.com/acme/app.git')
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-qm', 'one')
  write(cwd, { 'node_modules/a/index.js': '1', 'dist/app.js': '1' })
  if (changed)
    write(cwd, {
      'src/changed.ts': '2',
      'notes.txt': '1',
      'src/new.ts': '1',
      '.env.local': 'A=1',
      'dev.sqlite': 'x',
      'uploads/a.png': 'x',
    })
  return { home, cwd }
}

async function judging(place: { home: string; cwd: string }, options: Partial<HooksOptions> = {}) {
  const { cwd, home } = place
  vi.stubEnv('HOME', home)
  vi.stubEnv('HOOKLINE_DATA_DIR', join(home, 'data'))
  const hooks = await createHooks({ use: ['security', 'secrets', 'git-safe', 'secret-files'], cwd, journal: false, ...options })
  onTestFinished(async () => {
    await hooks.close()
    vi.unstubAllEnvs()
  })
  const say = async (command: string, audience?: 'person' | 'waiting' | 'nobody') => {
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command }, cwd }
    const { decision, metadata, message } = await hooks.raise('pre_tool_use', payload, audience ? { audience } : {})
    return { ruling: decision?.ruling ?? '-', reason: decision?.reason ?? '', row: metadata?.['at_stake'], message }
  }
  return { hooks, say, run: async (command: string) => (await say(command)).ruling }
}


import { readFileSync } from 'node:fs'
const parse = (f) => { const out=[]; const lines=readFileSync(f,'utf8').split('\n');
  for(let i=0;i<lines.length;i++){ let l=lines[i]; if(!l||l.startsWith('# ')) continue
    if(/<<'?X'?\s*$/.test(l)){ while(++i<lines.length){ l+='\n'+lines[i]; if(lines[i]==='X'){ if(/\$\(cat <</.test(l)) l+='\n'+lines[++i]; break} } }
    else if (/import os$/.test(l)) l+='\n'+lines[++i]
    out.push(l)} return out }
it('scores', async () => {
  const { say } = await judging(workspace())
  for (const [f, bad] of [['dangerous', /^-$|allow/], ['ordinary', /deny|ask/]]) {
    const all = parse('/tmp/p12/'+f+'.txt'); const list=[]
    for (const c of all) { const r = await say(c); if (bad.test(r.ruling)) list.push(r.ruling+' '+c+'  → '+r.reason.slice(0,140)) }
    console.log(f, list.length, 'of', all.length, '\n'+list.join('\n'))
  }
}, 300000)
