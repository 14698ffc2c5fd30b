/** Command lines of services: of most of them nothing more is known than that their verbs say what they do. */
import { parseArguments, readOptions } from '../../../shell/index.ts'
import { emptiest } from '../text.ts'
import type { Call, Category, Danger } from '../types.ts'
import { isDry } from './rules.ts'

/** What a program manages, and the reason given when it deletes some of that. */
interface Service {
  programs: string
  category: Category
  reason: string
  /** Verbs of these programs that are dangerous beside those of every service; `kind verb` for two words in a row. */
  also?: string
  /** Flags, beside those of every service, with which it only says what it would do. */
  dry?: string
  /** Verbs that harm nobody here, though they do elsewhere. */
  harmless?: string
}

const SERVICES: readonly Service[] = [
  {
    programs:
      'openstack upctl civo exo scw oci ibmcloud vultr-cli linode-cli hcloud doctl metal packet nova cinder glance swift ovhcloud aliyun tccli yc upcloud lightsailctl',
    category: 'cloud',
    reason: 'It deletes or stops what runs in a cloud.',
    also: 'rebuild',
  },
  {
    programs:
      'heroku fly flyctl vercel vc netlify railway render dokku cf cfy appwrite nhost convex amplify copilot sst zeabur koyeb northflank caprover deployctl eas platform upsun lagoon qovery porter coolify encore shuttle cargo-shuttle now surge stormkit amplify-app wasmer genezio aptible scalingo clever gigalixir zeet',
    category: 'cloud',
    reason: 'It deletes or stops something on the hosting platform.',
    also: 'rollback releases:rollback repo:reset pg:reset pg:killall maintenance:on scale ps:scale config:unset secrets:unset unset teardown dismiss',
    harmless: 'stop restart',
  },
  {
    programs:
      'firebase supabase wrangler turso pscale neonctl neon xata fauna atlas planetscale nile cockroach-cloud ccloud confluent',
    category: 'cloud',
    reason: 'It deletes data or settings of a hosted service.',
    also: 'clean unset rollback hosting:disable database:set auth:import',
    harmless: 'stop pause',
  },
  {
    programs:
      'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-delete-records kafka-delete-records.sh kaf kafkactl rpk pulsar-admin rabbitmqctl rabbitmqadmin nats celery rq dramatiq gearadmin activemq artemis mqadmin iggy zkcli.sh zkcli zookeepercli',
    category: 'database',
    reason: 'It deletes queues, topics or the messages in them.',
    also: 'empty force_reset stop_app --delete --delete-offsets --reset-offsets --delete-config --remove --shutdown deleteall rmr',
    harmless: 'stop kill',
  },
  {
    programs:
      'algolia meilisearch opensearch-cli elasticsearch es esctl curator curator_cli es-cli elastic solr solrctl typesense qdrant weaviate pinecone pc milvus_cli vespa',
    category: 'database',
    reason: 'It deletes a search index or what is in it.',
    also: 'clear delete_indices delete_snapshots',
  },
  {
    programs:
      'datadog dog dogshell newrelic sentry-cli sentry grafana-cli grafana grafanactl grr pd pagerduty honeycomb hny promtool amtool mimirtool cortextool logcli opsgenie opsgeniecli betterstack statuscake checkly nagioscli icingacli zabbix_cli splunk influx telegraf loki',
    category: 'cloud',
    reason: 'It deletes or silences what watches over running systems.',
    also: 'silence reset-admin-password mute clean',
  },
  {
    programs:
      'flarectl cli53 dnscontrol octodns-sync lexicon dnsimple godaddy namecheap porkbun cloudflare cf-terraforming fastly akamai bunny keycdn stackpath purge-cdn',
    category: 'cloud',
    reason: 'It deletes or replaces name records, or empties what delivers a site.',
    also: 'rrdelete rrpurge --everything --all --doit push',
    harmless: '',
  },
  {
    programs:
      'mc mcli s3cmd s5cmd s4cmd b2 azcopy minio ceph rbd rados radosgw-admin gluster swiftly ossutil coscmd cos cosutil obsutil aliyun-oss tigris storj uplink ipfs restic-rest lakefs lakectl juicefs weed hdfs hadoop gcloud-storage',
    category: 'cloud',
    reason: 'It deletes files in a store that others may use.',
    also: 'rb del rmi dd expunge rmr -rm -rmr --remove --delete-removed --delete-destination --delete delete-bucket hide-file lifecycle',
  },
  {
    programs:
      'op bw bws doppler infisical gopass chamber akeyless berglas conjur lpass keybase dashlane dcli keeper sops-secrets secrethub teller envkey dotenv-vault credstash confidant pass vlt',
    category: 'cloud',
    reason: 'It deletes stored secrets.',
    also: 'suspend rotate-root --delete',
  },
  {
    programs:
      'borg borgmatic restic duplicity duplicacy kopia rdiff-backup snapper timeshift pgbackrest wal-g wal-e barman pg_probackup proxmox-backup-client bconsole bupstash bup duplicati-cli tarsnap tmutil rustic autorestic attic zfs-auto-snapshot sanoid pyznap velero k8up wbadmin',
    category: 'fs-delete',
    reason: 'It deletes backups.',
    dry: 'n',
    also: 'forget remove-all-but-n-full remove-older-than remove-all-inc-of-but-n-full stanza-delete expire --remove-older-than --delete --delete-all --delete-archive --rewrite break-lock',
    harmless: 'stop suspend disable',
  },
  {
    programs:
      'haproxyctl kong deck apictl apigeecli tykctl traefikctl lura nginxctl kongctl gravitee consul-cli envoyctl f5 bigip',
    category: 'cloud',
    reason: 'It takes routes or servers away that others reach.',
    also: 'sync shutdown',
  },
  {
    programs:
      'ldcli launchdarkly ldc unleash unleash-cli flagsmith statsig split-cli split configcat growthbook posthog optimizely devcycle dvc-cli flipt goff',
    category: 'cloud',
    reason: 'It deletes or archives switches that running systems ask.',
    also: 'toggle-off turn-off',
  },
  {
    programs: 'stripe paypal braintree square adyen paddle lemonsqueezy recurly chargebee mollie razorpay plaid',
    category: 'cloud',
    reason: 'It changes payments or customers, which cannot be taken back.',
    also: 'refunds cancel void payouts transfers',
  },
  {
    programs:
      'sendgrid mailgun postmark mailchimp resend ses-cli twilio vonage messagebird postsuper exim exim4 slack slack-cli mailjet sparkpost customerio klaviyo mandrill',
    category: 'cloud',
    reason: 'It deletes messages, senders or contacts.',
    also: '-d -mrm',
  },
  {
    programs:
      'knife chef-server-ctl puppetserver jenkins-cli jenkins circleci travis buildkite-agent bk drone woodpecker-cli tkn argo argocd-autopilot concourse spin werf airflow prefect dagster mlflow wandb dbt dvc huggingface-cli hf kaggle databricks snow astro temporal tctl metaflow kedro zenml clearml-task teamcity gocd harness appcenter bitrise codemagic semaphore sem garden earthly-cloud octopus octo azdo azd',
    category: 'cloud',
    reason: 'It deletes pipelines, runs or what they have made.',
    also: 'delete-job delete-builds delete-node destroy-pipeline destroy-team wipe gc terminate cancel clean --full-refresh unset dismiss delete-cache --delete',
    harmless: 'stop disable clear',
  },
  {
    programs:
      'skopeo crane oras regctl reg gcrane harbor artifactory jf jfrog nexus cloudsmith quay helm-push dockly hub-tool gcr-cleaner acr cosign nuget pod vsce ovsx gem-push luarocks cpan-upload tea bb bitbucket gitea forgejo codeberg azure-devops phab arc',
    category: 'cloud',
    reason: 'It deletes something that was published.',
    also: 'unpublish yank clean',
    harmless: 'rollback',
  },
  {
    programs:
      'linkerd skaffold tilt devspace rancher microk8s talosctl k0s k0sctl rke rke2 k3sup kubeone capi clusterctl crossplane up kubevela vela okteto cilium calicoctl kn porter-k8s kubectl-ns kubens k9s longhornctl rook eksctl kops gardenctl vcluster loft kustomizer kapp werf-k8s ytt timoni knative operator-sdk kyverno karmadactl liqoctl ark',
    category: 'cloud',
    reason: 'It deletes things from a cluster that others may be using.',
    also: 'down uninstall dismiss',
    harmless: 'stop',
  },
  {
    programs:
      'neo4j-admin cypher-shell arangosh arango orientdb couchbase-cli cbq dgraph scylla nodetool pg_ctl pg_ctlcluster patronictl repmgr gh-ost pt-archiver vtctl vtctlclient vtctldclient tidb tiup yugabyted ysqlsh mysqlctl mongocli atlas-db hasura directus strapi payload medusa dbmate goose migrate sqitch diesel sqlx atlas-migrate tern refinery sea-orm-cli sqlx-cli rethinkdb dropdb ravendb immuclient spicedb edgedb gel faktory',
    category: 'database',
    reason: 'It deletes a database or part of it.',
    also: 'drop reset clean clear down-all down-to redo revert-all detach failover reinit assassinate decommission removenode',
    harmless: 'stop restart remove',
  },
]

/** Of these, rows say more; what their verbs say holds beside. */
const LISTED_TOO: Service = {
  programs: 'consul nomad vault boundary az gcloud istioctl argocd flux eksctl kops glab',
  category: 'cloud',
  reason: 'It deletes or stops what others may be using.',
  harmless: 'stop restart cancel disable clear reset',
}

/** Nobody means anything else by these, whatever the program. */
const ALWAYS =
  /^(?:delete|destroy|purge|terminate|wipe|nuke|obliterate|drop|deprovision|undeploy)(?:[-_]\S*|s3)?$|^[a-z][\w:-]*[:.-](?:delete|destroy|purge|terminate|drop|wipe|nuke|undeploy)$|^(?:db|migrate|schema|database|migration|migrations):(?:fresh|reset|refresh|clean)(?::\S*)?$|^(?:batch|bulk|force|admin|hard)-?delete\S*$|^delete[A-Z]\w*$/
/** By these, a service that others use loses something. */
const OF_SERVICES =
  /^(?:remove|rm|del|reset|revoke|disable|flush|erase|truncate|prune|uninstall|unset|kill|suspend|deactivate|decommission|evict|forget|clear|stop|archive|cancel)(?:[-_]\S*)?$|^[a-z][\w:-]*:(?:remove|rm|reset|clear|unset|revoke|kill|flush|rollback|detach|stop)$/
/** Behind these, a word is a name and no verb: `create delete`. */
const OTHER_VERB =
  /^(?:list|ls|get|show|describe|info|status|view|create|new|add|set|put|init|apply|deploy|up|run|exec|log|logs|help|search|find|query|select|start|serve|dev|test|build|login|config|version|upload|download|pull|copy|cp|publish|generate|gen|update|edit|open|link|diff|plan|check|validate|watch|tail|print|cat|read|write|import|export|backup|restore|snapshot:create)$/

/** A statement of a database, given to whatever program. */
const STATEMENT =
  /^\s*(?:drop\s+(?:table|database|schema|keyspace|collection)|truncate\s+table|delete\s+from\s+\S+\s*;?\s*$)/i
const DATABASE: Service = { programs: '', category: 'database', reason: 'It deletes part of a database.' }

const DRY =
  '--dry-run|--dryrun|--dry|--what-if|--whatif|--preview|--preview-only|--simulate|--no-act|--check|--print|--plan'

const byProgram = new Map<string, Service>()
for (const service of [...SERVICES, LISTED_TOO])
  for (const program of service.programs.split(' ')) byProgram.set(program, service)

/** Programs whose own words are ordinary work: what they delete is a line of a list, a version or a cache. */
const LOCAL = new Set(
  (
    'npm npx pnpm yarn bun bunx deno pip pip3 pipx uv uvx poetry pdm hatch rye conda mamba cargo rustup go gem bundle composer mix hex rebar3 stack cabal opam ' +
    'brew port apt apt-get dnf yum zypper pacman apk snap flatpak nix nix-env mise asdf nvm fnm volta pyenv rbenv sdk jenv code cursor tmux screen zellij ' +
    'make just task rake gradle mvn sbt lein bazel ninja cmake meson ctest git hg svn jj sl echo printf test expr true false set unset export read alias type which man tldr cheat ' +
    'grep egrep fgrep rg ag ack sed awk tr cut sort uniq head tail cat less more wc diff comm jq yq fzf bat ls tree fd find xargs dirname basename realpath seq date sleep logger ' +
    'say notify-send open xdg-open osascript vim nvim vi nano emacs ed ex docker podman docker-compose kubectl helm curl wget http https ssh scp rsync java javac kotlinc scalac ' +
    'psql mysql sqlite3 redis-cli mongosh tsc eslint prettier jest vitest mocha pytest tox ruff black mypy playwright cypress node python ruby perl php lua gh glab aws gcloud az terraform tofu'
  ).split(' '),
)

/** What the verbs of a program say, where no row says more. */
export function judgeVerbs(call: Call): Danger[] {
  const service = byProgram.get(call.name)
  if (!service && (LOCAL.has(call.name) || !/^[a-z][\w.+-]*$/.test(call.name))) return []
  if (call.args.some(({ taints }) => taints.includes('secret'))) return [HANDS_OVER]
  const args = parseArguments(call.args, readOptions(''))
  if (isDry(args, service?.dry ? `${DRY}|${service.dry}` : DRY)) return []
  const words = args.operands.slice(0, service ? 5 : 3).map(({ text }) => emptiest(text) ?? '')
  const flags = service ? args.flags.map(({ name }) => (name.startsWith('--') ? name : `-${name.toLowerCase()}`)) : []
  if (call.args.some(({ text }) => STATEMENT.test(text))) return [dangerOf(service ?? DATABASE)]
  const also = service?.also?.split(' ') ?? []
  const harmless = service?.harmless?.split(' ') ?? []
  for (const [at, word] of words.entries()) {
    const lower = word.toLowerCase()
    if (harmless.includes(lower)) continue
    const dangerous =
      ALWAYS.test(lower) || /^delete[A-Z]/.test(word) || (service && (OF_SERVICES.test(lower) || also.includes(lower)))
    if (dangerous && !(lower === 'scale' || lower === 'ps:scale')) return [dangerOf(service)]
    if (/^(?:scale|ps:scale)$/.test(lower) && also.includes(lower))
      return args.operands.some(({ text }) => /(?:^|=)0$/.test(text)) ? [dangerOf(service)] : []
    if (OTHER_VERB.test(lower) && !ALWAYS.test(words[at + 1]?.toLowerCase() ?? '')) break
  }
  return flags.some((flag) => also.includes(flag)) ? [dangerOf(service)] : []
}

const HANDS_OVER: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It hands credentials over to a program of which nobody knows what it does with them.',
}

const dangerOf = (service: Service | undefined): Danger =>
  service
    ? { category: service.category, radius: 'high', reason: service.reason }
    : { category: 'cloud', radius: 'medium', reason: 'By its verb it deletes something, and no more is known of it.' }

export const isService = (program: string): boolean => byProgram.has(program)
export const servicePrograms = (): string[] => [...byProgram.keys()]
