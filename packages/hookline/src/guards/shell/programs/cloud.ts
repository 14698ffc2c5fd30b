import { elsewhere, runScript } from '../scripts.ts'
import { stream } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import { DELETES_RESOURCE } from './forges.ts'
import type { Family } from './rules.ts'

const TERRAFORM = '-word -chdir= -target= -var= -var-file= -state= -backend-config= -out='

/** Infrastructure that others use, and registries that everybody reads. */
export const cloud: Family = {
  dry: {
    'aws gsutil': '--dryrun|--dry-run|n',
    'npm pnpm yarn bun jsr lerna vsce cargo poetry uv flit hatch pdm dart flutter': '--dry-run|n',
    pulumi: '--preview-only',
    'semantic-release goreleaser release-it changeset': '--dry-run|--snapshot|d',
  },
  options: {
    'terraform tofu terragrunt packer': TERRAFORM,
    'vault nomad consul waypoint boundary': '-word -address= -namespace= -token= -format=',
    aws: '--profile= --region= --output= --query= --endpoint-url= --cli-input-json= --exclude= --include=',
    'gcloud gsutil bq': '--project= --account= --configuration= --format= --region= --zone= -o:u:',
    az: '-g:n:o: --resource-group= --name= --subscription= --output= --query=',
    gh: '-R: --repo= --hostname=',
    'fly flyctl heroku doctl hcloud linode-cli vercel netlify wrangler railway render supabase firebase pulumi cdk serverless sls sam eb ansible ansible-playbook':
      '-a:c:p:s:t:i: --app= --config= --project= --stack= --token= --context=',
  },
  rows: [
    {
      category: 'cloud',
      radius: 'high',
      reason: 'It destroys infrastructure that is running.',
      commands: [
        'terraform|tofu|terragrunt|cdktf destroy',
        'terragrunt destroy-all|apply-all',
        'terragrunt run destroy|apply --all',
        'terraform|tofu untaint|taint',
        'terraform|tofu apply -replace',
        'terraform|tofu|terragrunt apply -destroy',
        'terraform|tofu|terragrunt apply|run-all -auto-approve',
        'terragrunt run-all destroy|apply',
        'terraform|tofu state rm|push|replace-provider',
        'terraform|tofu workspace delete',
        'terraform|tofu force-unlock|taint',
        'pulumi destroy|cancel|down',
        'pulumi up -y|--yes|-f|--skip-preview',
        'pulumi stack rm',
        'pulumi state delete',
        'cdk destroy',
        'azd down',
        'ecs-cli down|compose',
        'serverless|sls remove',
        'sam delete',
        'eb terminate',
        'vault kv destroy|delete|metadata',
        'vault delete|revoke|seal',
        'vault secrets|auth|lease|token|policy disable|revoke|delete',
        'vault operator seal|step-down|rekey',
        'nomad job stop|purge',
        'nomad stop|system',
        'consul kv delete',
        'consul leave',
        'aws s3 rb',
        'aws s3 rm',
        'aws s3 sync|mv --delete',
        'aws organizations close-account|leave-organization',
        'aws s3api put-bucket-lifecycle-configuration|put-bucket-policy|put-bucket-versioning',
        'aws route53 change-resource-record-sets',
        'aws cognito-idp admin-delete-*|admin-disable-*',
        'aws ec2 modify-instance-attribute --no-disable-api-termination',
        'aws rds modify-db-instance|modify-db-cluster --no-deletion-protection',
        'aws rds reboot-db-instance|failover-db-cluster|restore-db-*',
        'aws s3api delete-*',
        'aws * delete-*|terminate-*|destroy-*|deregister-*|purge-*|remove-*|revoke-*|disable-*|schedule-key-deletion|stop-*|batch-delete-*|reset-*|detach-*|release-*|cancel-*',
        'gcloud * delete|destroy|remove-iam-policy-binding|reset|purge|disable|abandon-instances',
        'gcloud * * delete|destroy|remove|reset|purge|disable|stop|remove-iam-policy-binding|delete-instances',
        'gcloud * * * delete|destroy|remove|purge',
        'gcloud * * * * delete|destroy|remove|purge',
        'gcloud storage rm',
        'gcloud storage * rm|delete',
        'gcloud alpha|beta * * delete|destroy|reset|stop',
        'gcloud sql instances patch --no-deletion-protection',
        'gcloud app versions stop',
        'gcloud projects|services delete|disable',
        'gsutil rm|rb',
        'gsutil -m rm|rb',
        'gsutil rsync -d',
        'bq rm',
        'az * delete|purge|deallocate|revoke|delete-batch|stop|clear|reset',
        'az * * delete-batch|deallocate|stop|reset|clear|empty|disable|cancel|delete-by-*',
        'az * * * remove|revoke|delete-batch|reset|clear',
        'az * * delete|purge|remove|revoke',
        'az * * * delete|purge',
        'az group delete',
        'doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|exo|civo * delete|destroy|rm|remove|terminate',
        'doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|exo|civo * * delete|destroy|rm|remove|terminate|bulk-delete',
        'oci * * * delete|terminate',
        'fly|flyctl destroy',
        'fly|flyctl secrets unset',
        'fly|flyctl apps|machine|machines|volumes|volume|postgres|redis destroy|delete|remove|kill',
        'heroku apps:destroy|destroy|pg:reset|addons:destroy|domains:clear|pg:killall|repo:reset',
        'vercel|vc remove|rm',
        'vercel|vc project|env|domains|alias|secrets rm|remove',
        'netlify sites:delete|env:unset',
        'wrangler delete',
        'wrangler kv:namespace|kv:key|r2|d1|queues|secret|pages delete',
        'wrangler kv|r2|d1|pages namespace|key|bucket|project|object delete',
        'railway down|delete|remove',
        'supabase db reset',
        'supabase projects|branches|functions|secrets delete|unset',
        'firebase firestore:delete|database:remove|hosting:disable|functions:delete|projects:delete|auth:delete',
        'rabbitmqctl reset|force_reset|delete_queue|delete_vhost|purge_queue|stop_app',
        'rabbitmqadmin delete|purge',
        'nats stream|consumer|kv rm|purge|del|delete',
        'virsh destroy|undefine|vol-delete|pool-delete|pool-destroy|snapshot-delete',
        'vagrant destroy',
        'multipass delete|purge',
        'vmrun|vboxmanage deletevm|unregistervm|closemedium',
        'proxmox|qm|pct destroy',
        'cloudflared tunnel delete',
      ],
    },
    {
      category: 'cloud',
      radius: 'high',
      reason: 'It deletes something on the hosting service for good.',
      commands: [
        'gh repo delete|archive',
        'gh workflow disable',
        'gh run cancel',
        'gh pr close --delete-branch|-d',
        'gh pr merge --admin',
        'gh repo edit --visibility',
        'gh repo sync --force',
        'gh repo rename|transfer',
        'gh auth logout',
        'gh extension remove',
        'gh release edit --draft',
        'gh issue|pr|discussion lock|transfer',
        'glab ci|schedule|label|milestone|token|deploy-key|ssh-key|runner|cluster delete|cancel|revoke|unregister',
        'glab repo archive|transfer',
        'gh release|issue|secret|variable|label|cache|gist|run|ssh-key|gpg-key|codespace|project|ruleset delete|delete-asset|remove',
        'glab repo|project delete',
        'glab release|issue|mr|variable|snippet delete',
        'hub delete',
        'npm unpublish|deprecate',
        'npm owner|access|team|org rm|revoke|remove|destroy|add|grant|public|set',
        'npm hook rm',
        'npm profile disable-2fa',
        'dotnet nuget delete',
        'conda|mamba|micromamba remove --all',
        'conda|mamba|micromamba env remove',
        'npm dist-tag rm|add|set',
        'npm token revoke',
        'cargo yank|owner',
        'gem yank',
        'twine|poetry remove-version',
        'pypi-cli delete',
      ],
    },
    {
      category: 'publish',
      radius: 'high',
      reason: 'It publishes to everybody, which cannot be taken back.',
      commands: [
        'python|python3 setup.py upload|register',
        'python|python3 setup.py * upload',
        'npm|pnpm|yarn|bun|jsr|lerna|vsce publish',
        'yarn npm publish',
        'semantic-release|release-it|np',
        'changeset publish',
        'goreleaser release',
        'dotnet nuget push',
        'pod trunk push',
        'nuget push',
        'fastlane deliver|supply|release|upload_to_app_store',
        'eas submit',
        'gradlew publish|publishToMavenCentral|publishAllPublicationsToMavenCentral',
        'sbt publish|publishSigned',
        'mix hex.publish',
        'ovsx publish',
        'stack upload',
        'cabal upload --publish',
        'cargo publish',
        'gem push',
        'twine upload',
        'poetry|uv|flit|hatch|pdm publish',
        'dart|flutter pub publish|-f',
        'mvn|gradle deploy|publish|release:perform',
      ],
    },
    {
      category: 'privilege',
      radius: 'high',
      reason: 'It changes who may do what in a cloud account.',
      commands: [
        'aws iam create-access-key|create-login-profile|update-login-profile|create-service-specific-credential',
        'gcloud iam service-accounts keys create',
        'az ad sp|app create-for-rbac|credential *',
        'aws iam attach-*|put-*-policy|add-user-to-group|update-assume-role-policy|create-policy-version|set-default-policy-version',
        'gcloud projects|organizations|folders add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding',
        'gcloud storage buckets add-iam-policy-binding|set-iam-policy',
        'gsutil iam ch|set',
        'gsutil acl ch|set',
        'az role assignment create',
        'az ad sp create-for-rbac',
        'kubectl|oc create clusterrolebinding|rolebinding',
        'oc adm policy',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It shows credentials, which then are in the conversation for good.',
      commands: [
        'gh auth token',
        'heroku config',
        'railway variables|variable',
        'vercel|vc env pull',
        'netlify env:list|env:get',
        'doppler secrets download|get',
        'gh auth status -t|--show-token',
        'aws configure export-credentials',
        'aws configure get aws_secret_access_key|aws_session_token|aws_access_key_id',
        'aws sts get-session-token|assume-role|get-federation-token',
        'aws secretsmanager get-secret-value|batch-get-secret-value',
        'aws ssm get-parameter*|get-parameters* --with-decryption',
        'aws ecr get-login-password|get-login|get-authorization-token',
        'aws kms decrypt',
        'aws iam create-access-key|create-login-profile|update-login-profile|create-service-specific-credential',
        'gcloud auth print-access-token|print-identity-token|print-refresh-token',
        'gcloud auth application-default print-access-token',
        'gcloud secrets versions access',
        'gcloud iam service-accounts keys create',
        'az account get-access-token',
        'az keyvault secret|key|certificate show|download',
        'az * keys list',
        'az acr credential show',
        'vault kv get',
        'vault read|token|print',
        'op read|item',
        'bw get|list',
        'pass show',
        'lpass show',
        'doppler secrets',
        'infisical secrets|export',
        'heroku config|config:get|auth:token|pg:credentials*',
        'fly|flyctl auth token',
        'doctl auth token',
        'npm token list|create',
        'sops -d|--decrypt',
        'sops decrypt|exec-env',
        'age -d',
        'ansible-vault view|decrypt',
        'git credential fill',
      ],
    },
  ],
  judges: {
    aws: judgeAws,
    'aws gcloud az doctl hcloud linode-cli openstack oci aliyun exo civo scw': (call) =>
      call.args.some(({ text }) => OPENING.test(text)) && call.args.some(({ text }) => EVERYBODY.test(text))
        ? OPENS_TO_ALL
        : undefined,
    'aws az gcloud': judgeRunsRemotely,
    az: (call) =>
      optionOf(call, '--mode')?.toLowerCase() === 'complete' && call.args.some(({ text }) => text === 'deployment')
        ? DELETES_RESOURCE
        : undefined,
    netlify: (call) => (call.args.some(({ text }) => /^delete[A-Z]/.test(text)) ? DELETES_RESOURCE : undefined),
    ibmcloud: (call) =>
      call.args.some(({ text }) => /-delete$|-terminate$/.test(text)) ? DELETES_RESOURCE : undefined,
    'aws gsutil gcloud az rclone s3cmd': (call) => {
      const recursive =
        call.args.some((word) => /^--recursive$|^-r$/.test(word.text)) && call.args.some((word) => word.text === 'rm')
      return recursive && !call.args.some((word) => /^--dry-?run$/.test(word.text)) ? DELETES_BUCKET : undefined
    },
  },
}

const OPENING = /^(?:authorize-|create$|add|update$|put-|set|modify-)/
/** Every address there is, or everybody who asks. */
const EVERYBODY =
  /(?:^|[=,"'\s])(?:0\.0\.0\.0\/0|::\/0)(?:$|[,"'\s])|^(?:--member=)?all(?:Authenticated)?Users$|^--(?:source-(?:ranges|address-prefixes)|acl)=(?:\*|public-read(?:-write)?)$|^public-read(?:-write)?$/
const OPENS_TO_ALL: Danger = {
  category: 'privilege',
  radius: 'high',
  reason: 'It opens something in a cloud to the whole internet.',
}

const optionOf = (call: Call, name: string): string | undefined => {
  const at = call.args.findIndex(({ text }) => text === name || text.startsWith(`${name}=`))
  const own = call.args[at]?.text
  return at < 0 ? undefined : own === name ? call.args[at + 1]?.text : own?.slice(name.length + 1)
}

/** Nothing is left running, or records are deleted by a change that says so. */
function judgeAws(call: Call): Danger | undefined {
  const none = ['--desired-count', '--desired-capacity', '--max-size'].some((name) => optionOf(call, name) === '0')
  const batch = /"Action"\s*:\s*"DELETE"|"DeleteRequest"/i.test(
    `${optionOf(call, '--change-batch') ?? ''}${optionOf(call, '--request-items') ?? ''}`,
  )
  if (none || batch) return DELETES_RESOURCE
  const shares = /^modify-(?:snapshot|image|db-snapshot|db-cluster-snapshot)-attribute$/.test(call.args[1]?.text ?? '')
  return shares && SHARING.some((name) => /^all$|Group=all/.test(optionOf(call, name) ?? '')) ? OPENS_TO_ALL : undefined
}

/** With `all`, everybody may copy the disk. */
const SHARING = [
  '--group-names',
  '--values-to-add',
  '--user-groups',
  '--launch-permission',
  '--create-volume-permission',
]

/** Scripts that a cloud runs on its machines: `aws ssm send-command`, `az vm run-command invoke`. */
function judgeRunsRemotely(call: Call): undefined {
  const there = elsewhere(call)
  for (const name of ['--scripts', '--command']) {
    const script = call.args.some(({ text }) => /^(?:run-command|ssh|exec)$/.test(text))
      ? optionOf(call, name)
      : undefined
    if (script !== undefined) runScript(stream(script), there)
  }
  const commands = call.args.some(({ text }) => text === 'send-command') ? optionOf(call, '--parameters') : undefined
  for (const [, quoted = ''] of (commands ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g))
    if (quoted !== 'commands') runScript(stream(quoted.replace(/\\(.)/g, '$1')), there)
  const bare = /^commands=([^["].*)$/.exec(commands ?? '')?.[1]
  if (bare !== undefined) runScript(stream(bare), there)
}

const DELETES_BUCKET: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It deletes everything below a path in the cloud.',
}
