/** Programs that let others look in, listen or come in, and those that speak to others in your name. */
import { APPLIES_UNSEEN, CUTS_OFF, dangerOf, HANDS_OVER, MIRRORS } from '../dangers.ts'
import type { Family } from './rules.ts'

export const exposure: Family = {
  options: { 'networksetup certutil vncserver tigervncserver x0vncserver xvnc x11vnc': '-word' },
  rows: [
    {
      category: 'system',
      radius: 'high',
      reason: 'It lets others come into this machine, or act on it.',
      commands: [
        'ttyd|gotty|websocketd|shellinaboxd|wetty|tmate|upterm|sshx|teleconsole|telnetd|in.telnetd *',
        'tmate|upterm|sshx|teleconsole|telnetd',
        'sshd|dropbear -p|-o|-f|-F|-D|-R',
        'vncserver|tigervncserver|x0vncserver|xvnc -SecurityTypes',
        'x11vnc',
        'x11vnc -nopw|-forever|-shared',
        'xhost +*',
        'tailscale serve|funnel',
        'tailscale up --ssh',
        'tailscale set --ssh',
        'docker|podman plugin install --grant-all-permissions',
        'net|net1 share|stop',
        'new-service|register-scheduledtask|set-service|new-scheduledtask|register-scheduledjob|set-scheduledtask *',
        'new-service|register-scheduledtask|set-service|new-scheduledtask|register-scheduledjob|set-scheduledtask',
      ],
    },
    {
      category: 'system',
      radius: 'medium',
      reason: 'It changes how this machine is found, or whom it trusts.',
      commands: [
        'resolvectl|systemd-resolve dns|domain|revert',
        'networksetup -setdnsservers|-setwebproxy|-setsecurewebproxy|-setautoproxyurl|-setsocksfirewallproxy',
        'nmcli connection|con|c modify|mod|edit',
        'hostnamectl set-hostname|hostname *',
        'scutil --set',
        'apt-key add|adv|net-update',
        'rpm --import',
        'certutil -addstore|-importpfx',
        'update-ca-trust|trust anchor|extract',
        'update-ca-certificates',
        'chage -E|-M|-I|--expiredate',
        'rtcwake',
        'rtcwake -m|--mode',
        'ecryptfs-migrate-home',
        'ecryptfs-migrate-home -u',
        'cryptsetup close|luksclose|remove *',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It records what people type, say or send.',
      commands: [
        'xinput test|test-xi2',
        'evtest|logkeys|xspy|screenkey *',
        'strace|ltrace|bpftrace|sysdig -p',
        'debugfs -R|-w|-f',
        'ettercap|driftnet *',
        'arecord|parecord|rec|sox|fswebcam|imagesnap *',
        'tcpdump|dumpcap|tshark -w',
        'tshark|ngrep|dsniff|urlsnarf -i',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It shows credentials, which then are in the conversation for good.',
      commands: [
        'chamber export|read|env|exec',
        'keepassxc-cli show|export|clip|attachment-export',
        'gopass|rbw|dcli show|get|cat|password',
        'bw|lpass export',
        'teller|berglas show|export|access|env',
      ],
    },
    {
      category: 'publish',
      radius: 'high',
      reason: 'It sends a message to others in your name.',
      commands: [
        'mail|mailx|mutt|neomutt|s-nail|swaks|msmtp|ssmtp|sendemail *@*',
        'mail|mailx|mutt|neomutt|s-nail -s',
        'sendmail *@*',
        'slackcat|telegram-send|discord-send|signal-cli|toot|twurl|tweet *',
        'slackcat|telegram-send --channel|-c|--format',
        'slack chat|message send|post|update|delete',
        'aws ses|sesv2 send-*',
        'aws sns publish|publish-batch',
        'twilio api:core:messages:create|phone-numbers:*|api:core:calls:create',
        'gh discussion create',
      ],
    },
    {
      category: 'privilege',
      radius: 'high',
      reason: 'It changes who may do what in a cluster or a cloud account.',
      commands: [
        'kubectl|oc|k edit|patch|replace|set clusterrole*|rolebinding*|role*|serviceaccount*|sa *',
        'kubectl|oc|k auth reconcile',
        'kubectl|oc|k edit clusterrolebinding|clusterrole|rolebinding|role',
        'kubectl|oc|k debug node/*',
        'aws s3api put-public-access-block|delete-public-access-block',
        'aws rds modify-db-instance|modify-db-cluster --publicly-accessible',
        'az storage container set-permission --public-access',
        'az storage account update --allow-blob-public-access|--default-action',
      ],
    },
  ],
  judges: {
    'kubectl oc k': ({ args }) =>
      args.some(({ text }) => /^(?:label|annotate)$/.test(text)) &&
      args.some(({ text }) => /pod-security|role-arn|iam\.gke|=privileged/.test(text))
        ? RAISES
        : undefined,
    helm: ({ args }) =>
      args.some(({ text }) => /^(?:install|upgrade)$/.test(text)) && args.some(({ text }) => /^https?:/i.test(text))
        ? APPLIES_UNSEEN
        : undefined,
    dockerd: ({ args }) =>
      args.some(({ text }) => /^(?:--host=|-H=?)?tcp:\/\/(?!127\.|localhost|\[::1\])/.test(text)) ? OPENS : undefined,
    ffmpeg: ({ args }) =>
      args.some(({ text }, at) => /^(?:v4l2|avfoundation|pulse|alsa|dshow)$/.test(text) && args[at - 1]?.text === '-f')
        ? RECORDS
        : undefined,
    'docker podman': ({ args }) =>
      args[0]?.text === 'login' && args.some(({ taints }) => taints.includes('secret')) ? HANDS_OVER : undefined,
    defaults: ({ args }) =>
      args.some(({ text }) => /^Log(?:in|out)Hook$|AutoLaunch|LSEnvironment/i.test(text)) ? STARTS : undefined,
    osascript: ({ args }) => (args.some(({ text }) => /\blogin item\b/i.test(text)) ? STARTS : undefined),
    'gcore procdump': ({ args }) =>
      args.some(({ taints }) => taints.includes('guard') || taints.includes('processes')) ? RECORDS : undefined,
    'iptables ip6tables nft': ({ args }) =>
      args.some(({ text }) => /^(?:-A|-I|-D|-R|--append|--insert|--delete|--replace|add|insert)$/.test(text))
        ? FIREWALL
        : undefined,
    'ip route': ({ args }) => {
      const words = args.map(({ text }) => text)
      const routes = words.some((text) => /^(?:add|replace|change)$/.test(text))
      return routes && words.some((text) => /^(?:blackhole|unreachable|prohibit|default)$/.test(text))
        ? CUTS_OFF
        : undefined
    },
    robocopy: ({ args }) =>
      args.some(({ text }) => /^\/(?:mir|purge|move)$/i.test(text)) && args.some(({ text }) => /^[a-z]:/i.test(text))
        ? MIRRORS
        : undefined,
  },
}

const OPENS = dangerOf('privilege', 'high', 'It lets others come into this machine, or act on it.')
const RAISES = dangerOf('privilege', 'high', 'It changes who may do what in a cluster or a cloud account.')
const RECORDS = dangerOf('secret-read', 'medium', 'It records what people type, say or send.')
const STARTS = dangerOf('persistence', 'high', 'It makes something run again later, or lets someone in.')
const FIREWALL = dangerOf('system', 'high', 'It changes the firewall rules that protect this machine.')
