import { flagValues, hasFlag, isShell, parseArguments, readOptions } from '../../../shell/index.ts'
import { CUTS_OFF, WEAKENS } from '../dangers.ts'
import { placeOf } from '../places.ts'
import { runScript } from '../scripts.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'

/** The machine itself: disks, power, services, accounts, processes. */
export const system: Family = {
  options: {
    'systemctl service': '-t:p:H:M:n:s:o: --type= --property= --host= --state= --signal= --root=',
    'parted gparted': '-a:u: --align= --unit=',
    'sgdisk gdisk sfdisk fdisk cfdisk': '-n:t:c:b:l:C:N:A: --new= --typecode= --backup=',
    'cryptsetup wipefs': '-t:o:c:s:h:d:S:q --types= --offset= --cipher= --key-file= --key-slot=',
  },
  dry: {
    'lvremove vgremove pvremove lvreduce vgreduce pvmove': 't|--test',
    'wipefs sfdisk': 'n|--no-act',
    'sgdisk parted': 'P|--pretend',
    zfs: 'n',
    'apt apt-get': 's|--simulate|--just-print|--dry-run|--recon|--no-act',
    'dpkg rpm': '--dry-run|--simulate|--no-act|--test',
    'yum dnf': '--assumeno',
    zypper: 'D|--dry-run',
    pacman: 'p|--print',
    'apk snap flatpak': 's|--simulate',
    mdadm: '--test',
  },
  rows: [
    {
      category: 'block-device',
      radius: 'high',
      reason: 'It erases a disk, a partition or a storage pool.',
      commands: [
        'mkswap|newfs|mkdosfs|mkexfatfs',
        'wipefs -a|-f|--all|--force|-t',
        'fdisk|cfdisk|gdisk /dev/* !-l|--list',
        'sgdisk -z|-Z|-o|-d|--zap|--zap-all|--clear|--delete',
        'parted * mklabel|mktable|rm|mkpart|resizepart',
        'sfdisk --delete|--force|--wipe',
        'sfdisk /dev/* !-l|-d|-J|-V|-s|--list|--dump|--json|--verify|--show-size|--list-free|-F',
        'hdparm --security-erase|--security-erase-enhanced|--trim-sector-ranges|--make-bad-sector',
        'nvme format|sanitize|delete-ns|write-zeroes',
        'blkdiscard|badblocks -w|-f',
        'blkdiscard /*',
        'cryptsetup luksformat|erase|lukserase|lukskillslot|luksremovekey|reencrypt|luksdump --dump-master-key',
        'cryptsetup luksformat|erase|lukserase|lukskillslot|luksremovekey|reencrypt',
        'lvremove|vgremove|pvremove|lvreduce|vgreduce|pvmove',
        'mdadm --zero-superblock|--stop|--remove|--fail',
        'zpool destroy|labelclear|remove|detach|split|offline|export',
        'zfs destroy|rollback|unmount',
        'btrfs subvolume delete',
        'btrfs device remove|delete',
        'diskutil erasedisk|erasevolume|zerodisk|randomdisk|secureerase|partitiondisk|reformat|eraseoptical|unmountdisk',
        'diskutil apfs deletecontainer|deletevolume|erasevolume',
        'tune2fs -O|-L|-U|-f',
        'xfs_repair|debugfs -L|-w',
        'flashrom|fwupdmgr -w|-E|--erase|install|downgrade',
        'efibootmgr -B|--delete-bootnum',
        'grub-install|lilo',
        'dmsetup remove|remove_all|wipe_table',
        'losetup -D',
        'swapoff -a',
        'ddrescue|dcfldd|pv -f|--force|-o',
        'dcfldd|dc3dd',
        'tmutil delete|deletelocalsnapshots|disable',
        'asr restore --erase',
      ],
    },
    {
      category: 'system',
      radius: 'high',
      reason: 'It stops or restarts the machine.',
      commands: [
        'shutdown !-c|-k',
        'reboot|halt|poweroff|telinit',
        'init 0|6|1',
        'systemctl poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate|soft-reboot',
        'kexec -e|-l',
        'pmset sleepnow',
        'shutdown.exe',
      ],
    },
    {
      category: 'system',
      radius: 'high',
      reason: 'It takes away a service, a program or a protection the system relies on.',
      commands: [
        'systemctl stop|disable|mask|isolate|kill|revert|delete',
        'apachectl|httpd stop|graceful-stop',
        'nmcli networking|radio off',
        'nmcli connection|con|device|dev delete|down|disconnect',
        'ifdown',
        'ifconfig * down',
        'ip link delete|del',
        'ip address|addr|a|route|r|rule|neigh flush|delete|del',
        'networksetup -setairportpower|-setnetworkserviceenabled',
        'launchctl unload|bootout|remove|disable',
        'defaults delete',
        'brew uninstall|remove|rm --zap|--force|--ignore-dependencies',
        'tmutil disable',
        'pacman -Rc|-Rcns|-Rdd',
        'service * stop',
        'update-rc.d * remove|disable',
        'chkconfig * off',
        'setenforce 0|permissive',
        'aa-teardown|aa-disable|aa-complain',
        'aa-disable|aa-complain *',
        'apparmor_parser -R',
        'apt-mark hold',
        'yum-config-manager --disable',
        'dnf config-manager --set-disabled|disable',
        'spctl --master-disable|--global-disable',
        'csrutil disable|clear',
        'sysctl -w kernel.*',
        'auditctl -D|-e',
        'apt|apt-get purge|remove|autoremove|dist-upgrade --purge|-y|--yes|--allow-remove-essential',
        'apt|apt-get purge',
        'dpkg --purge|-P|--force-all|--force-remove-essential',
        'dpkg -r|--remove',
        'yum|dnf|zypper remove|erase|autoremove',
        'rpm -e|--erase',
        'pacman -R|-Rs|-Rns|-Rdd|--remove',
        'apk del',
        'snap|flatpak remove|uninstall --purge|--delete-data|--all',
        'nix-collect-garbage -d|--delete-old|--delete-older-than',
        'nix-env --delete-generations',
        'nix profile wipe-history',
        'rmmod|modprobe -r|-f',
        'rmmod *',
        'insmod',
        'umount -a|-f|-l|--all|--force|--lazy',
        'sysrq-trigger',
        'nvram -c|-d',
        'ipcrm -a|--all',
        'journalctl --vacuum-size|--vacuum-time|--vacuum-files|--rotate',
        'dmesg -C|-c|--clear',
        'stress|stress-ng',
        'wmic * delete',
      ],
    },
    {
      category: 'persistence',
      radius: 'high',
      reason: 'It makes something run again later, or lets someone in.',
      commands: [
        'systemctl enable|link|edit|set-default|preset',
        'launchctl load|bootstrap|enable|submit|kickstart',
        'crontab -r|-i',
        'at|batch -f|-q',
        'schtasks /create|/delete|/change',
        'chsh|usermod -s|--shell',
        'ssh-copy-id',
        'update-alternatives --install|--set',
        'update-rc.d * defaults|enable',
        'chkconfig * on',
        'loginctl enable-linger',
        'systemd-run --on-calendar|--on-boot|--on-startup|--on-active|--on-unit-active|--on-unit-inactive|--timer-property|--on-clock-change|--path-property|--socket-property',
        'git-maintenance start',
      ],
    },
    {
      category: 'privilege',
      radius: 'high',
      reason: 'It changes who may do what on this machine.',
      commands: [
        'useradd|adduser|userdel|deluser|usermod|groupadd|groupdel|groupmod|addgroup|delgroup',
        'passwd',
        'passwd *',
        'chpasswd|gpasswd|visudo|vipw|newusers|pwconv',
        'setcap',
        'setcap *',
        'sysadminctl|dseditgroup -addUser|-deleteUser|-a|-o',
        'security add-trusted-cert|delete-keychain|delete-certificate|unlock-keychain|set-key-partition-list',
        'update-ca-certificates|trust anchor',
        'pam-auth-update|authselect|authconfig',
      ],
    },
    {
      category: 'secret-read',
      radius: 'medium',
      reason: 'It shows credentials, which then are in the conversation for good.',
      commands: [
        'security find-generic-password|find-internet-password|dump-keychain|export',
        'secret-tool lookup|search',
        'gpg|gpg2 --export-secret-keys|--export-secret-subkeys',
        'ssh-keygen -p|-e',
        'unshadow|john|hashcat|mimikatz',
        'keyctl print|read|pipe',
        'pass show',
        'kwallet-query|gnome-keyring *',
        'cmdkey /list',
        'getent shadow',
        'showkey|logkeys',
      ],
    },
    {
      category: 'system',
      radius: 'medium',
      reason: 'It erases the record of what was done.',
      commands: [
        'history -c|-d|-w',
        'fc -R|-W',
        'lastlog -C|--clear',
        'unset histfile',
        'wevtutil cl|clear-log',
        'log erase',
        'set +o history',
      ],
    },
  ],
  judges: {
    'mkfs mke2fs mkntfs': judgeMkfs,
    'date gdate timedatectl hwclock ntpdate sntp chronyc rdate': judgeClock,
    ip: (call) => {
      const words = call.args.map(({ text }) => text)
      return words.includes('link') && words.includes('down') ? WEAKENS : undefined
    },
    nginx: (call) => (call.args.some(({ text }) => /^(?:-s)?(?:stop|quit)$/.test(text)) ? STOPS : undefined),
    // Without a command, what follows is typed to a shell of another user, where nobody looks.
    'sudo doas su pkexec run0 gosu': (call) => {
      const args = parseArguments(
        call.args,
        readOptions(
          call.name === 'su' ? '-c:g:G:s:w: --command= --group= --shell=' : '-C:D:g:h:p:R:r:T:t:U:u: --user= --group=',
        ),
        true,
      )
      if (hasFlag(args, 'h|V|--help|--version')) return undefined
      if (call.name === 'sudo' && hasFlag(args, 'S|A|--stdin|--askpass') && call.wiring.stdin) return GIVES_PASSWORD
      if (call.wiring.stdin) return undefined
      const bare = call.name === 'su' ? !hasFlag(args, 'c|--command') : args.operands.length === 0
      const opens = call.name === 'su' || hasFlag(args, 's|i|--shell|--login')
      const [program, ...rest] = call.name === 'su' ? [] : args.operands
      const shell =
        program &&
        (isShell(program.text) || program.text === 'su') &&
        rest.every(({ text }) => /^-[il]?$|^--login$/.test(text))
      return (bare && opens) || shell ? OPENS_SHELL : undefined
    },
    // In a container, the first process is that of the machine only for who breaks out.
    nsenter: (call) => {
      const targets = flagValues(parseArguments(call.args, readOptions('-t:S:G:r:w: --target='), true), 't|--target')
      return targets.some((value) => value?.text === '1') ? BREAKS_OUT : undefined
    },
    crontab: (call) => {
      const args = parseArguments(call.args, readOptions('-u:'))
      if (hasFlag(args, 'l|e') || (call.args.length === 0 && !call.wiring.stdin)) return undefined
      return INSTALLS
    },
    'at batch': (call) => {
      if (call.wiring.stdin) runScript(call.wiring.stdin, call)
      return call.args.some((word) => /^-[lcdr]$|^-V$/.test(word.text)) ? undefined : INSTALLS
    },
    yes: (call) => (!call.wiring.piped && call.wiring.captured ? FILLS : undefined),
    'tail head cat': (call) =>
      call.args.some((word) => /^\/dev\/(?:zero|u?random)$/.test(word.text)) &&
      (call.name === 'head' ? HUGE.test(call.args.map(({ text }) => text).join(' ')) : true) &&
      (call.name === 'tail' || (call.wiring.captured && !call.wiring.piped))
        ? FILLS
        : undefined,
    sysctl: (call) =>
      call.args.some(
        (word) =>
          /^(?:kernel|dev)\.|vm\.drop_caches|^net\.ip|fs\.(?:protected|suid)/.test(word.text) &&
          word.text.includes('='),
      )
        ? WEAKENS
        : undefined,
    'mount umount': (call) => {
      const onRoot = call.args.some((word) => placeOf(word, call.state) === 'root')
      const remounts = call.args.some(({ text }) => /\bremount\b/.test(text))
      const onHome = call.args.some((word) => /^(?:home|system)$/.test(placeOf(word, call.state)))
      return (onRoot && (call.name === 'umount' || remounts)) || (onHome && call.name === 'umount')
        ? WEAKENS
        : undefined
    },
    'route ip': (call) => {
      const words = call.args.map(({ text }) => text).filter((text) => !text.startsWith('-'))
      const [first = '', second = ''] = words
      const verb = call.name === 'route' ? first : second
      return /^(?:del|delete|flush)$/.test(verb) ? CUTS_OFF : undefined
    },
    dscl: (call) =>
      call.args.some(({ text }) => /^-?(?:create|delete|append|passwd|change|merge)$/.test(text))
        ? CHANGES_USERS
        : undefined,
    make: (call) => {
      const args = parseArguments(
        call.args,
        readOptions('-C:f:I:j:l:o:W:E: --eval= --file= --directory= --include-dir='),
      )
      for (const [, command = ''] of call.args.map(({ text }) => /^\.?SHELL\s*[:+?]*=(.*)$/s.exec(text) ?? []))
        if (command !== '') runScript({ text: command, taints: [] }, call)
      for (const text of args.flags.filter(({ name }) => name === '--eval' || name === 'E')) {
        const eager = [...(text.value?.text ?? '').matchAll(/\$\(shell ([^)]*)\)/g)].map(([, command = '']) => command)
        for (const command of eager) runScript({ text: command, taints: [] }, call)
        const recipe = (text.value?.text ?? '').replace(/^[^:]*:[^;\n]*[;\n]?/, '').replace(/^[\s@+-]+/gm, '')
        runScript({ text: recipe, taints: text.value?.taints ?? [] }, call)
      }
      return undefined
    },
  },
}

/** With `-n`, some of them only say what they would do; to others it is a name or a size. */
function judgeMkfs(call: Call): Danger | undefined {
  const args = parseArguments(call.args, readOptions('-b:c:C:d:e:E:g:G:i:I:J:l:L:m:M:N:o:O:r:s:t:T:U:z: --type='))
  const kind = flagValues(args, 't|--type')[0]?.text ?? call.shown.match(/mkfs\.(\w+)/)?.[1] ?? 'ext2'
  const dry = call.name === 'mkfs' ? /^(?:ext[234]|ntfs)$/.test(kind) : true
  return dry && hasFlag(args, 'n') ? undefined : ERASES
}

/** Whoever moves the clock makes certificates, schedules and records wrong. */
function judgeClock({ name, args }: Call): Danger | undefined {
  const words = args.map(({ text }) => text)
  const [first = '', second = ''] = words.filter((text) => !text.startsWith('-'))
  switch (name.replace(/^g/, '')) {
    case 'date':
      return words.some((text) => /^-s|^--set|^-\w*s$|^\d{8}(?:\d\d){0,2}(?:\.\d\d)?$/.test(text)) &&
        !words.some((text) => /^(?:-d|--date|-j|-r|-f)/.test(text))
        ? SETS_CLOCK
        : undefined
    case 'timedatectl':
      return /^set-(?:time|timezone|local-rtc)$/.test(first) ||
        (first === 'set-ntp' && /^(?:0|no|false|off)$/.test(second))
        ? SETS_CLOCK
        : undefined
    case 'hwclock':
      return words.some((text) => /^--(?:set|systohc|hctosys|systz|adjust)|^-[a-z]*[wsa]/.test(text))
        ? SETS_CLOCK
        : undefined
    case 'chronyc':
      return /^(?:settime|makestep|manual)$/.test(first) ? SETS_CLOCK : undefined
    default:
      return words.some((text) => /^-[a-zA-Z]*q/.test(text)) ? undefined : SETS_CLOCK
  }
}

const make = (category: Danger['category'], reason: string): Danger => ({ category, radius: 'high', reason })
const ERASES = make('block-device', 'It erases a disk, a partition or a storage pool.')
const STOPS = make('system', 'It takes away a service, a program or a protection the system relies on.')
const INSTALLS = make('persistence', 'It changes what runs by itself on a schedule.')
const BREAKS_OUT = make('privilege', 'It runs among the processes of the machine, outside of every container.')
const GIVES_PASSWORD = make('privilege', 'It types a password for the rights of another user.')
const OPENS_SHELL = make('privilege', 'It opens a shell of another user, for whatever is typed next.')
const FILLS = make('system', 'It uses up memory or disk without end.')
const CHANGES_USERS = make('privilege', 'It changes who may do what on this machine.')
/** `head -c 2T`: more than anybody needs. */
const HUGE = /(?:-c|--bytes)[= ]?(?:\d+[TPE]|\d{3,}G|\d{12,})/i
const SETS_CLOCK = make('system', 'It changes the clock of the machine.')
