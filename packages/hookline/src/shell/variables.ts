/** Variables by which code gets into a program that did not ask for it. */
export interface VariableFamily {
  why: string
  names?: string
  prefixes?: string
  /** Names under a prefix that only carry plain settings. */
  except?: RegExp
  /** What its value is. */
  does: Effect
  /** It exists to run something before the program itself. */
  first?: true
  /** What lies in the directories it names is loaded as code. */
  code?: true
  /** People set these for themselves, and programs need them: they stay in the environment. */
  personal?: true
}

type Effect =
  | 'preload' // a library that is loaded into every program
  | 'loader' // a setting of the dynamic loader
  | 'file' // a file that a shell runs
  | 'options' // code, or options that name code
  | 'command' // a command line that is run
  | 'expanded' // text that a shell expands again, substitutions included
  | 'search' // where programs, libraries and settings are found

export const variableTable: readonly VariableFamily[] = [
  {
    why: 'the dynamic loader loads what they name into every program',
    does: 'preload',
    names: 'LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES',
  },
  {
    why: 'the dynamic loader finds libraries by them',
    does: 'loader',
    code: true,
    prefixes: 'LD_ DYLD_',
  },
  {
    why: 'the C library and OpenSSL load what they name',
    does: 'search',
    code: true,
    names: 'GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES',
  },
  {
    why: 'shells run the file they name before anything else',
    does: 'file',
    first: true,
    names: 'BASH_ENV ENV ZDOTDIR',
  },
  { why: 'bash defines the functions they hold', does: 'options', first: true, prefixes: 'BASH_FUNC_' },
  { why: 'shells run it before each prompt', does: 'command', first: true, names: 'PROMPT_COMMAND' },
  { why: 'shells expand it before each command that they trace', does: 'expanded', names: 'PS4' },
  { why: 'shells expand it before each prompt', does: 'expanded', names: 'PS0 PS1 PS2 PROMPT', personal: true },
  {
    why: 'shells split and look up words by them',
    does: 'search',
    names: 'SHELLOPTS BASHOPTS IFS CDPATH GLOBIGNORE',
  },
  {
    why: 'interpreters run what they name before the script',
    does: 'options',
    first: true,
    prefixes: 'LUA_INIT CORECLR_ COR_PROFILER',
    names:
      'NODE_OPTIONS BUN_OPTIONS PYTHONSTARTUP PERL5OPT PERL5DB RUBYOPT DOTNET_STARTUP_HOOKS ' +
      'JAVA_TOOL_OPTIONS JAVA_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS',
  },
  {
    why: 'interpreters find modules and settings by them',
    does: 'search',
    code: true,
    names:
      'CLASSPATH GEM_PATH GEM_HOME NODE_PATH NODE_REPL_EXTERNAL_MODULE PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE PYTHONWARNINGS ' +
      'PYTHONEXECUTABLE PYTHONPLATLIBDIR PERL5LIB PERLLIB RUBYLIB PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_CPATH DOTNET_ADDITIONAL_DEPS ' +
      'DOTNET_SHARED_STORE',
  },
  {
    why: 'git runs the programs they name',
    does: 'command',
    names:
      'GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND',
  },
  {
    why: 'git works on another repository than the one at hand, or with other settings',
    does: 'search',
    prefixes: 'GIT_',
    except: /^GIT_(AUTHOR|COMMITTER|SSL|TERMINAL_PROMPT|OPTIONAL_LOCKS|CEILING_DIRECTORIES)/,
  },
  { why: 'pagers run the commands they hold', does: 'command', names: 'LESSOPEN LESSCLOSE' },
  {
    why: 'programs run the command that they hold',
    does: 'command',
    names:
      'PAGER MANPAGER SYSTEMD_PAGER PSQL_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER EDITOR SUDO_EDITOR KUBE_EDITOR CRONTAB_EDITOR VISUAL ' +
      'SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH BROWSER FCEDIT MAILER SHELL MAKESHELL',
    personal: true,
  },
  { why: 'programs are found by it', does: 'search', names: 'PATH', personal: true },
]

const known = new Map<string, VariableFamily | undefined>()
const mostKnown = 2_000

/** The row that a variable belongs to: the first that names it, else the first whose prefix it has. */
export function injectingVariable(name: string): VariableFamily | undefined {
  if (known.has(name)) return known.get(name)
  const found =
    variableTable.find(({ names }) => names?.split(' ').includes(name)) ??
    variableTable.find(
      ({ prefixes, except }) => prefixes?.split(' ').some((prefix) => name.startsWith(prefix)) && !except?.test(name),
    )
  if (known.size >= mostKnown) known.clear()
  known.set(name, found)
  return found
}
