import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

const TERRAFORM = '-word -chdir= -target= -var= -var-file= -state= -backend-config= -out='

/** Infrastructure that others use, and registries that everybody reads. */
export const cloud: Family = {
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
        'terraform|tofu|terragrunt destroy',
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
        'aws s3api delete-*',
        'aws * delete-*|terminate-*|destroy-*|deregister-*|purge-*|remove-*|revoke-*|disable-*|schedule-key-deletion|stop-*|batch-delete-*|reset-*|detach-*|release-*|cancel-* !--dry-run|--dryrun',
        'gcloud * delete|destroy|remove-iam-policy-binding|reset|purge|disable|abandon-instances',
        'gcloud * * delete|destroy|remove|reset|purge|disable|stop|remove-iam-policy-binding|delete-instances',
        'gcloud * * * delete|destroy|remove|purge',
        'gcloud projects|services delete|disable',
        'gsutil rm|rb',
        'gsutil -m rm|rb',
        'gsutil rsync -d',
        'bq rm',
        'az * delete|purge|deallocate|revoke',
        'az * * delete|purge|remove|revoke',
        'az * * * delete|purge',
        'az group delete',
        'doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|exo|civo * delete|destroy|rm|remove|terminate',
        'doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|exo|civo * * delete|destroy|rm|remove|terminate|bulk-delete',
        'oci * * * delete|terminate',
        'fly|flyctl destroy',
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
        'gh release|issue|secret|variable|label|cache|gist|run|ssh-key|gpg-key|codespace|project|ruleset delete|delete-asset|remove',
        'glab repo|project delete',
        'glab release|issue|mr|variable|snippet delete',
        'hub delete',
        'npm unpublish|deprecate',
        'npm owner|access|team rm|revoke|remove',
        'npm dist-tag rm',
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
        'npm|pnpm|yarn|bun|jsr|lerna|vsce publish !--dry-run',
        'yarn npm publish',
        'cargo publish !--dry-run|-n',
        'gem push',
        'twine upload',
        'poetry|uv|flit|hatch|pdm publish !--dry-run',
        'dart|flutter pub publish|-f',
        'mvn|gradle deploy|publish|release:perform',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It shows credentials, which then are in the conversation for good.',
      commands: [
        'gh auth token',
        'gh auth status -t|--show-token',
        'aws configure export-credentials',
        'aws configure get aws_secret_access_key|aws_session_token|aws_access_key_id',
        'aws sts get-session-token|assume-role|get-federation-token',
        'aws secretsmanager get-secret-value|batch-get-secret-value',
        'aws ssm get-parameter*|get-parameters* --with-decryption',
        'aws ecr get-login-password|get-login|get-authorization-token',
        'aws kms decrypt',
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
        'pass show|*',
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
    gh: judgeGithubApi,
    'aws gsutil gcloud az rclone s3cmd': (call) => {
      const recursive =
        call.args.some((word) => /^--recursive$|^-r$/.test(word.text)) && call.args.some((word) => word.text === 'rm')
      return recursive && !call.args.some((word) => /^--dry-?run$/.test(word.text)) ? DELETES_BUCKET : undefined
    },
  },
}

/** `gh api -X DELETE …` deletes whatever the path names. */
function judgeGithubApi(call: Call): Danger | undefined {
  const args = parseArguments(
    call.args,
    readOptions('-X:f:F:H:R:q:t: --method= --field= --raw-field= --header= --hostname= --input= --jq='),
  )
  if (args.operands[0]?.text !== 'api') return undefined
  const method = flagValues(args, 'X|--method')[0]?.text.toUpperCase()
  return method === 'DELETE' || hasFlag(args, '--delete') ? DELETES_RESOURCE : undefined
}

const DELETES_RESOURCE: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It deletes something on the hosting service for good.',
}
const DELETES_BUCKET: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It deletes everything below a path in the cloud.',
}
