import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { APPLIES_UNSEEN } from '../dangers.ts'
import { CRITICAL, placeOf } from '../places.ts'
import { isSecret } from '../sensitive.ts'
import { field } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

const ENGINE = 'docker|podman|nerdctl'
const COMPOSE =
  '-f:p:H:c: --file= --project-name= --profile= --project-directory= --env-file= --host= --context= --config= --log-level='
const KUBE =
  '-n:l:f:c:o:k:s: --namespace= --context= --kubeconfig= --selector= --filename= --cluster= --user= --server= --token= --field-selector= --timeout= --grace-period= --replicas= --patch= --type= -p: --address= --accept-hosts= --kustomize= --overrides= --image='

export const containers: Family = {
  dry: { 'kubectl oc k helm helmfile flux argocd istioctl': '--dry-run|--dry-run-strategy' },
  options: {
    'docker podman nerdctl docker-compose podman-compose': COMPOSE,
    'kubectl oc k kubectx k3s microk8s': KUBE,
    'helm helmfile flux argocd istioctl': `${KUBE} -e: --environment= --kube-context= --revision=`,
    'ctr crictl': '-n:a:t:r: --namespace= --address= --timeout= --runtime-endpoint=',
    'kind minikube k3d eksctl kops': '-p:n: --name= --profile= --cluster= --state= --region=',
  },
  rows: [
    {
      category: 'container',
      radius: 'high',
      reason: 'It deletes containers, images or volumes with the data in them.',
      commands: [
        `${ENGINE} system prune`,
        `${ENGINE} volume rm|remove|prune`,
        `${ENGINE} system reset`,
        `${ENGINE} rm -v|--volumes`,
        `${ENGINE} container rm -v|--volumes`,
        `${ENGINE} compose rm -v`,
        'docker-compose|podman-compose rm -v',
        `${ENGINE} swarm leave -f|--force`,
        `${ENGINE} stack|service|secret|config|context rm|remove`,
        `${ENGINE} plugin rm|disable`,
        `${ENGINE} node rm|remove|demote`,
        `${ENGINE} machine rm|reset`,
        'lxc|incus delete',
        'minikube delete --all|--purge',
        'crictl rm|rmp|rmi -a|--all|--prune|-f',
        'ctr|crictl * rm|remove|delete',
      ],
    },
    {
      category: 'container',
      radius: 'low',
      reason: 'It removes containers, images or networks, which are made again.',
      mild: true,
      commands: [
        `${ENGINE} image|builder|buildx|network|container|pod prune`,
        `${ENGINE} rm|rmi`,
        `${ENGINE} container|image|pod|network rm|remove`,
        `${ENGINE} compose down|rm|kill|stop`,
        `${ENGINE} stop|kill`,
        // Clusters in containers of this machine, made for a test.
        'kind|ctlptl|k3d delete',
        'minikube delete',
        'k3d cluster|node|registry delete',
        'docker-compose|podman-compose down|rm|kill|stop',
      ],
    },
    {
      category: 'publish',
      radius: 'high',
      reason: 'It publishes an image, for everybody who pulls it.',
      commands: [
        'buildah|helm|oras|crane|gcrane|ko|kaniko|flux push !--dry-run',
        'flux push artifact',
        'ko publish|build|apply --push',
        'skopeo copy|sync',
      ],
    },
    {
      category: 'cloud',
      radius: 'high',
      reason: 'It deletes things from a cluster that others may be using.',
      commands: [
        'kubectl|oc|k delete',
        'kubectl|oc|k drain|cordon',
        'kubectl|oc|k replace --force',
        'kubectl|oc|k apply --prune',
        'kubectl|oc|k taint nodes|node',
        'kubectl|oc|k rollout undo',
        'k3s-uninstall.sh|k3s-agent-uninstall.sh|rke2-uninstall.sh|k3s-killall.sh',
        'argocd app sync --prune|--force',
        'argocd cluster|repo|proj|appset rm|delete',
        'argocd app rollback|terminate-op',
        'flux suspend',
        'kubectl|oc config delete-*',
        'oc adm drain|prune',
        'helm uninstall|delete|del|un',
        'helm rollback',
        'helm upgrade --force|--reset-values',
        'helm repo|plugin remove|uninstall',
        'helmfile destroy|delete',
        'flux uninstall|delete',
        'argocd app delete',
        'istioctl uninstall',
        'eksctl|kops delete',
        'etcdctl del|rm|rmdir',
        'kubeadm reset',
        'velero backup|restore delete',
        'kustomize delete',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It shows credentials, which then are in the conversation for good.',
      commands: [
        'kubectl|oc|k get *secret* -o|--output',
        'kubectl|oc|k config view --raw|--flatten',
        'kubectl|oc create token',
      ],
    },
  ],
  judges: {
    // A file of compose on the input.
    'docker podman docker-compose podman-compose': ({ args, wiring }) =>
      args.some(({ text }) => text === '-' || text === '/dev/stdin') && REACHES_OUT.test(wiring.stdin?.text ?? '')
        ? PRIVILEGED
        : undefined,
    'docker podman nerdctl docker-compose': (call) => [...judgeRun(call), ...judgePush(call), ...judgeFar(call)],
    'docker podman nerdctl docker-compose podman-compose': judgeDown,
    'docker podman nerdctl': (call) => {
      const words = call.args.map(({ text }) => text)
      const removes = words[0] === 'rm' || (words[0] === 'container' && words[1] === 'rm')
      return removes && words.some((text) => /^-[a-z]*v[a-z]*$|^--volumes$/.test(text)) ? VOLUMES : undefined
    },
    'kubectl oc k': (call) => {
      const args = parseArguments(call.args, readOptions(KUBE))
      const scale =
        args.operands[0]?.text === 'scale' && flagValues(args, '--replicas').some((value) => value?.text === '0')
      const patch =
        args.operands[0]?.text === 'patch' &&
        /ReclaimPolicy"?\s*:\s*"?Delete|"replicas"\s*:\s*0\b|"finalizers"\s*:\s*(?:null|\[\])/.test(
          call.args.map(({ text }) => text).join(' '),
        )
      if (
        args.operands.some(({ text }) => /^(?:run|patch|debug|apply|create)$/.test(text)) &&
        (call.args.some(({ text }) => BREAKS_OUT.test(text)) || BREAKS_OUT.test(call.wiring.stdin?.text ?? ''))
      )
        return PRIVILEGED
      const open = flagValues(args, '--address|--accept-hosts').some((value) =>
        /^(?:0\.0\.0\.0|::|\*|\.\*|\^?\.\*\$?)$/.test(value?.text ?? ''),
      )
      if (open && args.operands.some(({ text }) => /^(?:proxy|port-forward)$/.test(text))) return OPENS
      if (args.operands.some(({ text }) => /^(?:apply|create|replace)$/.test(text))) {
        const files = flagValues(args, 'f|k|--filename|--kustomize').map((value) => value?.text ?? '')
        const fetched = files.some((text) => /^https?:\/\//i.test(text) && !isPublicSource(text))
        if (fetched || (files.includes('-') && call.wiring.stdin?.taints.includes('remote'))) return APPLIES_UNSEEN
      }
      return scale || patch
        ? { category: 'cloud', radius: 'high', reason: 'It stops a workload that others may be using.' }
        : undefined
    },
  },
}

/** An image goes to a registry that others pull from, and not to one on this machine. */
function judgePush(call: Call): Danger[] {
  const { operands, flags } = parseArguments(call.args, readOptions(`${COMPOSE} -t: --tag= --platform= --build-arg=`))
  const [verb, next] = operands.map(({ text }) => text)
  const pushes =
    verb === 'push' ||
    (/^(?:image|images|manifest|compose|plugin|buildx)$/.test(verb ?? '') && next === 'push') ||
    (operands.some(({ text }) => text === 'build' || text === 'bake') && flags.some(({ name }) => name === '--push'))
  const image = operands.at(-1)?.text ?? ''
  return pushes && !/^(?:localhost|127\.0\.0\.1)(?:[:/]|$)/.test(image) ? [PUBLISHES] : []
}

/** What is made again here may be what others work with there. */
function judgeFar(call: Call): Danger[] {
  const { operands, flags } = parseArguments(call.args, readOptions(COMPOSE))
  const named = flags.flatMap(({ name, value }) => (/^(?:H|--host|--url)$/.test(name) && value ? [value.text] : []))
  const hosts = [...named, ...(call.state.variables.get('DOCKER_HOST') ?? []).map(({ text }) => text)]
  const far = hosts.some((text) => /^(?:ssh|tcp|https?):\/\/(?!localhost|127\.|\[::1\])/.test(text))
  return far && operands.slice(0, 2).some(({ text }) => /^(?:rm|rmi|remove|kill|stop|down|prune)$/.test(text))
    ? [FAR]
    : []
}

/** What a container is given of the host. */
/** `compose down -v`: the data goes with it, unless the file or the project is there for tests by its name. */
function judgeDown(call: Call): Danger | undefined {
  const args = parseArguments(call.args, readOptions(COMPOSE))
  const isDown = args.operands.some(({ text }) => text === 'down') && hasFlag(args, 'v|--volumes')
  if (!isDown || !(call.name.endsWith('-compose') || args.operands[0]?.text === 'compose')) return undefined
  const names = flagValues(args, 'f|p|--file|--project-name').map((value) => value?.text.split('/').at(-1) ?? '')
  const isTest = names.length > 0 && names.every((name) => FOR_TESTS.test(name))
  return isTest ? undefined : VOLUMES
}
const FOR_TESTS = /(?:^|[._-])(?:tests?|testing|ci|e2e|integration)(?:[._-]|$)/i

function judgeRun(call: Call): Danger[] {
  const args = parseArguments(
    call.args,
    readOptions(
      `${COMPOSE} -v:u:w:e: --volume= --mount= --pid= --cap-add= --security-opt= --device= --name= --entrypoint=`,
    ),
  )
  if (!args.operands.some((word) => /^(?:run|create|exec|cp)$/.test(word.text))) return []
  const dangers: Danger[] = []
  const sources = [
    ...flagValues(args, 'v|--volume').map((value) => value?.text.split(':')[0] ?? ''),
    ...flagValues(args, '--mount').map((value) => /(?:source|src)=([^,]*)/.exec(value?.text ?? '')?.[1] ?? ''),
  ]
  for (const source of sources) {
    const word = field(source)
    if (/docker\.sock$/.test(source)) dangers.push(HOST)
    else if (/^[/~.]/.test(source) && (CRITICAL.has(placeOf(word, call.state)) || isSecret(word, call.state)))
      dangers.push(HOST)
  }
  const host = flagValues(args, '--pid|--cap-add|--security-opt|--device').some((value) =>
    /^(?:host|ALL|SYS_ADMIN|apparmor=unconfined|seccomp=unconfined|\/dev\/sd|\/dev\/nvme|\/dev\/mem)/i.test(
      value?.text ?? '',
    ),
  )
  if (hasFlag(args, '--privileged') || host) dangers.push(PRIVILEGED)
  return dangers
}

const BREAKS_OUT = /"?(?:privileged|hostNetwork|hostPID|hostIPC|allowPrivilegeEscalation)"?\s*:\s*true|"?hostPath"?\s*:/
/** All of the machine, in the words of compose. */
const REACHES_OUT =
  /\bprivileged\s*:\s*true|[-[\s"'](?:\/|\/etc|\/root|\/var\/run\/docker\.sock):\/|\bpid\s*:\s*["']?host/
/** Where projects publish what others apply. */
const isPublicSource = (url: string): boolean =>
  /^https:\/\/(?:[\w-]+\.)*(?:github\.com|githubusercontent\.com|github\.io|gitlab\.com|k8s\.io|googleapis\.com)\//i.test(
    url,
  )
const OPENS: Danger = {
  category: 'system',
  radius: 'high',
  reason: 'It opens the cluster to everybody who can reach this machine.',
}
const VOLUMES: Danger = {
  category: 'container',
  radius: 'high',
  reason: 'It deletes containers, images or volumes with the data in them.',
}
const PUBLISHES: Danger = {
  category: 'publish',
  radius: 'high',
  reason: 'It publishes an image, for everybody who pulls it.',
}
const FAR: Danger = {
  category: 'cloud',
  radius: 'high',
  reason: 'It removes containers on another machine, which others may be using.',
}
const HOST: Danger = {
  category: 'container',
  radius: 'high',
  reason: 'It gives a container the files of the whole machine.',
}
const PRIVILEGED: Danger = {
  category: 'container',
  radius: 'high',
  reason: 'It gives a container full power over the machine.',
}
