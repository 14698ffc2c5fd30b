/** Names of what a build, a test or a package manager makes again, wherever they lie. */
const always =
  /^(?:node_modules|bower_components|jspm_packages|__pycache__|\.venv|\.tox|\.nox|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.ipynb_checkpoints|\.eggs|.*\.egg-info|\.next|\.nuxt|\.svelte-kit|\.astro|\.turbo|\.parcel-cache|\.vite|\.angular|\.expo|\.gradle|\.dart_tool|\.terragrunt-cache|\.nyc_output|\.cache|\.npm|\.yarn-cache|\.pnpm-store|\.sass-cache|\.serverless|\.docusaurus|\.stryker-tmp|DerivedData|CMakeFiles|\.DS_Store|\.eslintcache|\.stylelintcache|\.coverage|.*\.(?:pyc|pyo|o|obj|class|tsbuildinfo|swp|swo|gcda|gcno|elc))$/

/** Names that builds use, and people too: they count where git ignores them, or where there is no git to ask. */
const ifIgnored =
  /^(?:dist|build|out|target|bin|obj|coverage|htmlcov|_site|caches?|te?mp|logs?|venv|vendor|Pods|storybook-static|playwright-report|test-results|cmake-build-.*|generated|\.(?:generated|terraform|tmp|temp|output|vercel|netlify)|lcov\.info|npm-debug\.log.*|.*\.(?:log|te?mp|map|lcov|profraw|exe|dll|so|dylib|a|pid))$/

/** Whether something below `root` is made again by the tools of the project. `loosely`: names that people use too count. */
export function isRegenerable(path: string, root: string, loosely: boolean): boolean {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  const names = inside.split('/').filter(Boolean)
  return names.some((name) => always.test(name) || (loosely && ifIgnored.test(name)))
}

/** Names of what people fill in by hand or over a long time, and no program makes again: settings with secrets, databases, keys. */
const precious = /^(?:\.env(?:\..+)?|\.envrc|.*\.(?:sqlite3?|db|mdb|kdbx|pem|key|p12|pfx|jks|keystore|tfstate|tfvars))$/

export function isPrecious(path: string, root: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    precious.test(name) &&
    !/\.(?:example|sample|template|dist|defaults|schema)$/.test(name) &&
    !isRegenerable(path, root, true)
  )
}

/** Directories of a home that programs fill again by themselves. */
export const isCache = (inHome: string): boolean =>
  /^(?:\.cache|\.npm|\.pnpm-store|\.yarn\/(?:cache|berry\/cache)|\.gradle\/caches|\.m2\/repository|\.cargo\/registry|\.nuget\/packages|\.bun\/install\/cache|go\/pkg\/mod|\.deno|Library\/(?:Caches|Developer\/Xcode\/DerivedData)|\.ccache|\.node-gyp|\.Trash|\.local\/share\/Trash)(?:\/|$)/.test(
    inHome,
  )
