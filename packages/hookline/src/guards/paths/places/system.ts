/** The machine itself. */
import type { SensitivePlace } from './place.ts'

export const system: readonly SensitivePlace[] = [
  {
    what: 'password hashes and the rules of who may do what',
    access: 'both',
    paths: [
      '/etc/shadow*',
      '/etc/gshadow*',
      '/etc/master.passwd',
      '/etc/security/opasswd',
      '/etc/sudoers',
      '/etc/sudoers.d/',
      '/tmp/krb5cc_*',
      '/var/db/dslocal/',
      '/?:/Windows/System32/config/',
      '/mnt/?/Windows/System32/config/',
      'ntds.dit',
    ],
  },
  {
    what: 'the memory, environment or open files of a process',
    access: 'both',
    paths: [
      '/proc/*/environ',
      '/proc/*/mem',
      '/proc/*/fd/',
      '/proc/*/task/*/environ',
      '/proc/*/task/*/mem',
      '/proc/*/task/*/fd/',
      '/proc/kcore',
      '/proc/keys',
      '/dev/fd/',
    ],
  },
  {
    what: 'a device',
    access: 'both',
    paths: ['/dev/**'],
    except: [
      ...['null', 'zero', 'full', 'random', 'urandom', 'tty', 'stdin', 'stdout', 'stderr'].map(
        (device) => `/dev/${device}`,
      ),
      '/dev/shm/**',
    ],
  },
  { what: 'the kernel and what it exposes', access: 'write', paths: ['/proc/', '/sys/', '/boot/', '/efi/'] },
  { what: 'the configuration of the whole machine', access: 'write', paths: ['/etc/', '/usr/local/etc/'] },
  {
    what: 'the programs of the whole machine',
    access: 'write',
    paths: [
      '/bin/',
      '/sbin/',
      '/lib/',
      '/lib32/',
      '/lib64/',
      '/usr/bin/',
      '/usr/sbin/',
      '/usr/lib/',
      '/usr/lib32/',
      '/usr/lib64/',
      '/usr/libexec/',
      '/usr/local/bin/',
      '/usr/local/sbin/',
      '/System/',
      '/?:/Windows/',
      '/mnt/?/Windows/',
      '/?:/Program Files*/',
    ],
  },
]
