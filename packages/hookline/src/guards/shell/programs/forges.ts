import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

/** What services that hold repositories do by their API, and what lets others into them. What they delete by a word of their own is in cloud.ts. */
export const forges: Family = {
  options: { 'gh glab': '-R:s: --repo= --source= --remote= --title= --type= --hostname=' },
  rows: [
    {
      category: 'publish',
      radius: 'high',
      reason: 'It publishes the repository for everybody to read.',
      commands: ['gh repo create --public --source|-s|--push', 'glab repo|project create --public --defaultBranch'],
    },
    {
      category: 'privilege',
      radius: 'high',
      reason: 'It lets whoever has that key into the account or the repository.',
      commands: [
        'gh ssh-key|gpg-key|deploy-key add',
        'gh repo deploy-key add',
        'gh auth refresh -s|--scopes',
        'gh auth login --scopes|-s',
        'glab ssh-key|deploy-key|gpg-key|token add|create',
        'glab repo members add',
      ],
    },
  ],
  judges: { 'gh glab': judgeApi },
}

/** `gh api -X DELETE …` deletes whatever the path names; a mutation of GraphQL may, and a ref can be moved by force. */
function judgeApi(call: Call): Danger | undefined {
  const args = parseArguments(
    call.args,
    readOptions('-X:f:F:H:R:q:t: --method= --field= --raw-field= --header= --hostname= --input= --jq='),
  )
  if (call.args.some(({ text }) => /\$\{\{[^}]*\bsecrets\b/.test(text))) return SHOWS_SECRETS
  if (args.operands[0]?.text !== 'api') return undefined
  const method = flagValues(args, 'X|--method')[0]?.text.toUpperCase()
  const fields = flagValues(args, 'f|F|--field|--raw-field').map((value) => value?.text ?? '')
  const mutates = fields.some((text) => /^query=/.test(text) && DELETING_MUTATION.test(text))
  if (method === 'DELETE' || hasFlag(args, '--delete') || mutates || fields.includes('force=true'))
    return DELETES_RESOURCE
  if (fields.some((text) => /^(?:private=false|visibility=public)$/i.test(text))) return OPENS_UP
  const changes = method === undefined ? fields.length > 0 : method !== 'GET'
  return changes && LETS_IN_PATH.test(args.operands[1]?.text ?? '') ? LETS_IN : undefined
}

/** Of a service of any kind: `mutation { volumeDelete(…) }`. */
export const DELETING_MUTATION =
  /\bmutation\b[\s\S]*\b\w{0,40}(?:delete|destroy|remove|purge|archive|drop|truncate|transfer|terminate)\w{0,40}\s*[({]/i

/** Where GitHub, GitLab and their like take keys, people, what runs, and who may do what. https://docs.github.com/rest, https://docs.gitlab.com/api */
export const LETS_IN_PATH =
  /(?:^|\/)(?:user\/(?:keys|gpg_keys|ssh_signing_keys|personal_access_tokens)|(?:repos\/[^/]+|orgs|projects|groups)\/[^/]+\/(?:(?:branches|environments)\/[^/]+\/)?(?:keys|deploy_keys|collaborators|outside_collaborators|members|memberships|invitations|teams|hooks|transfer|protection|rulesets|environments|variables|access_tokens|actions\/(?:secrets|permissions|runners|variables)))(?:[/?#]|$)/i

export const LETS_IN: Danger = {
  category: 'privilege',
  radius: 'high',
  reason: 'It lets somebody else into the account or the repository.',
}
const SHOWS_SECRETS: Danger = {
  category: 'exfiltration',
  radius: 'high',
  reason: 'It makes a pipeline print its secrets.',
}
const OPENS_UP: Danger = {
  category: 'publish',
  radius: 'high',
  reason: 'It lets everybody read the repository.',
}
export const DELETES_RESOURCE: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It deletes something on the hosting service for good.',
}
