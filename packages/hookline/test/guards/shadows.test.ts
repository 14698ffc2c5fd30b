import { describe, expect, it } from 'vitest'
import { analyseCommand } from '../../src/guards/shell/index.ts'

const judge = (command: string) => analyseCommand({ command, cwd: '/home/ada/app', home: '/home/ada' })

describe('a name that the line declares never hides the program of that name', () => {
  it.each([
    'rm() { command rm "$@"; }; rm -rf ~',
    'rm() { :; }; rm -rf ~',
    'rm() { :; }; env rm -rf ~',
    'rm() { :; }; printf %s ~ | xargs rm -rf',
    'rm() { :; }; unset -f rm; rm -rf ~',
    'false && rm() { :; }; rm -rf ~',
    'if false; then rm() { :; }; fi; rm -rf ~',
    'alias rm=echo; \\rm -rf ~',
    'alias rm=echo; rm -rf ~',
    'sudo() { :; }; sudo rm -rf /',
  ])('%s', (command) => expect(judge(command)).toMatchObject({ verdict: 'destructive', radius: 'high' }))

  it('and what it calls itself with counts, each time', () => {
    expect(judge('f(){ case $1 in 3) rm -rf $2;; *) f $(( $1+1 )) ~;; esac; }; f 0').verdict).toBe('destructive')
    expect(judge('f(){ [ "$1" ] && rm -rf "$1"; f ~; }; f').verdict).toBe('destructive')
  })

  it.each(["alias ll='ls -la'; ll", 'log() { echo "[x] $1"; }; log start'])(
    '%s is not milder or worse for it',
    (command) => expect(judge(command).verdict).not.toBe('destructive'),
  )
})

describe('a branch that may not run never hides a value', () => {
  it.each([
    'x=~; false && x=/tmp/y; rm -rf $x',
    'x=~; [ -z "$CI" ] || x=/tmp/y; rm -rf "$x"',
    'x=~; if [ -n "$CI" ]; then x=/tmp/y; fi; rm -rf "$x"',
    'x=~; case $1 in a) x=/tmp/y;; esac; rm -rf "$x"',
    'x=~; while false; do x=/tmp/y; done; rm -rf $x',
    'x=~; for i in; do x=/tmp/y; done; rm -rf $x',
    'x=~; false && x=/tmp/y; z=$x; rm -rf $z',
    'a=rm; b=~; false && a=echo; false && b=/tmp/y; $a -rf $b',
    'x=~; false && x=/tmp/y; echo hi > $x/.bashrc',
    'declare -n r=HOME; rm -rf "$r"',
  ])('%s', (command) => expect(judge(command)).toMatchObject({ verdict: 'destructive', radius: 'high' }))

  it.each([
    'x=~; false && x=/tmp/y; x=/tmp/z; rm -rf $x',
    'if [ "$1" ]; then d=build; else d=dist; fi; rm -rf "$d/"',
    'd=build; [ "$1" ] && d=dist; rm -rf "$d"',
  ])('%s: what is set for sure is all that counts', (command) => expect(judge(command).verdict).toBe('unknown'))
})

describe('a credential is shown by whatever prints it', () => {
  it.each([
    'git diff --no-index /dev/null ~/.ssh/id_rsa',
    'git -C ~/.ssh diff --no-index /dev/null id_rsa',
    'git grep --no-index . .env',
    'git show HEAD:.env',
    'git log -L1,5:.env',
    'git blame --contents .env README.md',
    'git config -f ~/.aws/credentials --list',
    'ln ~/.ssh/id_rsa notes.txt',
    'cp -l ~/.ssh/id_rsa notes.txt',
  ])('%s', (command) => expect(judge(command)).toMatchObject({ verdict: 'destructive', categories: ['secret-read'] }))

  it.each([
    'git log -- .env',
    'git diff --stat .env',
    'git check-ignore .env',
    'git grep -l KEY .env',
    'git status .env',
  ])('%s shows none', (command) => expect(judge(command).verdict).not.toBe('destructive'))
})
