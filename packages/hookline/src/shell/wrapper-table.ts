/** Programs that run another program. One row says where the inner command stands. */
export interface Wrapper {
  /** `docker exec` is the sub-command exec of docker; several names may share a row. */
  names: string
  /** Options of the wrapper that take a value (see arguments.ts). */
  options?: string
  /** Operands before the inner command: a host, an image, a duration. */
  skip?: number
  /** Nothing but the script option is run; the operands are data. */
  optionsOnly?: boolean
  /** NAME=value operands come before the inner command. */
  assignments?: boolean
  /** The option whose value is a shell script. */
  script?: string
  /** The remaining words belong to that script: env -S. */
  split?: boolean
  /** The remaining words are joined and read by a shell again. */
  lastScript?: boolean
  /** The words are typed one after the other, with nothing in between: what keys of these names type. */
  keys?: Readonly<Record<string, string>>
  /** With this option, what is typed is given as numbers of characters, in hexadecimal. */
  codes?: string
  /** The inner command stands behind `--` if there is one. */
  afterDashes?: boolean
  /** With this option nothing runs: the wrapper only describes. */
  prints?: string
  /** The options with which it adds no power of its own: with no others, what is safe inside stays safe. */
  transparent?: string
  /** The option that names the directory in which the inner command runs. */
  enters?: string
  /** Without a command it is a shell that reads its input; with flags, only if one of these is set. */
  shell?: string
  /** `elsewhere`: on another machine or among other files. `package`: looked up among installed packages first. */
  inner?: 'elsewhere' | 'package'
}

const dockerRun =
  '-a:c:e:h:l:m:p:u:v:w:H: --add-host= --cap-add= --cap-drop= --cpus= --device= --dns= --entrypoint= --env= --env-file= --expose= ' +
  '--gpus= --group-add= --hostname= --ip= --ipc= --label= --link= --log-driver= --mac-address= --memory= --mount= --name= --network= --net= ' +
  '--pid= --platform= --publish= --pull= --restart= --runtime= --security-opt= --shm-size= --tmpfs= --ulimit= --user= --userns= --volume= ' +
  '--volumes-from= --workdir= --context= --host= --config= --file= --project-name= --profile= --index= --detach-keys= -f:'

export const wrapperTable: readonly Wrapper[] = [
  {
    names: 'sudo',
    options:
      '-C:D:g:h:p:R:r:T:t:U:u: --chdir= --chroot= --close-from= --group= --host= --prompt= --role= --type= --user= --other-user=',
    assignments: true,
    enters: 'D|--chdir',
    shell: 's|i|--shell|--login',
  },
  { names: 'doas', options: '-a:C:u:', shell: 's' },
  { names: 'pkexec', options: '--user=' },
  { names: 'gosu, su-exec', skip: 1 },
  {
    names: 'su',
    options: '-c:g:G:s:w: --command= --group= --shell=',
    script: 'c|--command',
    optionsOnly: true,
    shell: '',
  },
  { names: 'runuser', options: '-c:g:G:s:u: --command= --user= --shell=', script: 'c|--command' },
  { names: 'setpriv', options: '--reuid= --regid= --groups= --inh-caps= --bounding-set=' },
  { names: 'sg', options: '-c:', script: 'c', skip: 1, lastScript: true },
  {
    names: 'env, genv',
    options: '-C:u:P:S: --chdir= --unset= --split-string= --argv0= -a:',
    script: 'S|--split-string',
    split: true,
    assignments: true,
    transparent: 'i|u|0|S|--ignore-environment|--unset|--split-string',
    enters: 'C|--chdir',
  },
  { names: 'command', options: '', prints: 'v|V', transparent: 'p' },
  { names: 'builtin', transparent: '' },
  { names: 'exec', options: '-a:', transparent: 'a|c|l' },
  {
    names: 'nohup, setsid, nocorrect, noglob, chronic, unbuffer, catchsegv, fakeroot, torsocks, torify, winpty',
  },
  { names: 'caffeinate', options: '-t:w:' },
  { names: 'nice', options: '-n: --adjustment=', transparent: 'n|--adjustment' },
  { names: 'ionice', options: '-c:n:p:P:u: --class= --classdata=', transparent: 'c|n|t|--class|--classdata' },
  { names: 'chrt', options: '-T:P:D:p:', skip: 1, transparent: 'b|f|i|o|r' },
  { names: 'taskset', options: '', skip: 1, transparent: 'c' },
  { names: 'numactl', options: '-C:N:m:i:p: --cpunodebind= --membind= --interleave= --physcpubind=' },
  {
    names: 'timeout, gtimeout',
    options: '-k:s: --kill-after= --signal=',
    skip: 1,
    transparent: 'k|s|v|--kill-after|--signal|--foreground|--preserve-status',
  },
  { names: 'time, gtime', options: '-f:o: --format= --output=', transparent: 'p|v' },
  { names: 'stdbuf', options: '-i:o:e: --input= --output= --error=', transparent: 'i|o|e|--input|--output|--error' },
  {
    names: 'xargs, gxargs',
    options:
      '-a:d:E:e:I:J:L:n:P:R:S:s: --arg-file= --delimiter= --max-lines= --max-args= --max-procs= --max-chars= --process-slot-var=',
  },
  { names: 'busybox, toybox, shx, coreutils', transparent: '' },
  { names: 'strace, ltrace, dtruss', options: '-a:b:e:E:I:o:O:p:P:s:S:u:U:X:' },
  { names: 'valgrind, perf stat, perf record', options: '-e:o:p:F:' },
  { names: 'gdb', options: '-x: --eval-command= -e:', afterDashes: true },
  {
    names: 'hyperfine',
    options: '-w:m:M:r:p:c:s: --warmup= --prepare= --cleanup= --setup= --runs=',
    script: 'p|c|s|--prepare|--cleanup|--setup',
    lastScript: true,
  },
  {
    names: 'unshare',
    options: '-R:w:S:G: --root= --wd= --setuid= --setgid= --map-user= --map-group=',
    enters: 'w|--wd',
  },
  { names: 'nsenter', options: '-t:S:G:r:w: --target= --setuid= --setgid=', inner: 'elsewhere' },
  { names: 'chroot', options: '--userspec= --groups=', skip: 1, inner: 'elsewhere', shell: '' },
  {
    names:
      'ld.so, ld-linux.so.2, ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld-musl-x86_64.so.1, ld-musl-aarch64.so.1',
    options: '--library-path= --preload= --audit= --argv0= --inhibit-rpath=',
  },
  {
    names: 'pssh, parallel-ssh, prun',
    options: '-h:H:l:p:o:e:t:O:x:X:I --hosts= --host= --user= --par= --timeout= --option=',
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'pdsh, clush, dsh, mussh, cexec',
    options: '-w:x:g:l:f:t:u:m:h:H:b:B:d:F:M:c: --nodes= --group= --user= --worker= --fanout=',
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'salt, salt-call, salt-ssh',
    options: '-t:L:E:G:N:C:b: --timeout=',
    skip: 2,
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'knife ssh, kitchen exec, bolt command run',
    options: '-c:x:i:P:a: --config= --ssh-user= --attribute=',
    skip: 1,
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'fab, fabric',
    options: '-H:i:u:c: --hosts= --identity=',
    afterDashes: true,
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'just',
    options: '-f:d:c: --justfile= --working-directory= --command= --set=',
    script: 'c|--command',
    optionsOnly: true,
  },
  {
    names: 'lxc-attach, lxc-execute, systemd-nspawn, podman unshare, flatpak-spawn, toolbx run',
    options: '-n:D:M:u: --name= --directory=',
    afterDashes: true,
    inner: 'elsewhere',
  },
  {
    names:
      'retry, faketime, proxychains, proxychains4, tsocks, eatmydata, prlimit, cpulimit, cgexec, choom, run-one, daemonize, daemon, dumb-init, tini, catatonit, s6-setuidgid, chpst, softlimit, setuidgid',
    options: '-g:n:p:l:u:c:t:e:o: --pid=',
  },
  { names: 'proot', options: '-r:b:w:q:S:R: --rootfs= --bind=', inner: 'elsewhere' },
  {
    names: 'firejail, bwrap',
    options: '--bind= --ro-bind= --dev= --proc= --tmpfs= --chdir= --setenv=',
    enters: '--chdir',
  },
  {
    names: 'flock',
    options: '-c:w:E: --command= --timeout= --wait= --conflict-exit-code=',
    script: 'c|--command',
    skip: 1,
  },
  {
    names: 'script',
    options: '-c:E:I:o:O:T:B:m: --command= --log-io= --echo= --log-in= --log-out= --log-timing=',
    script: 'c|--command',
    skip: 1,
  },
  {
    names: 'watch',
    options: '-n:q: --interval= --equexit=',
    lastScript: true,
    transparent: 'n|d|t|g|e|x|c|p|b|--interval',
  },
  // `spawn` is how a script of expect runs a program.
  { names: 'entr, spawn', options: '' },
  { names: 'nodemon', options: '-x:e:w:i: --exec= --ext= --watch= --ignore=', script: 'x|--exec', skip: 1 },
  { names: 'expect', options: '-c:', script: 'c', optionsOnly: true },
  { names: 'rlwrap', options: '-a:b:c:C:D:f:H:' },
  {
    names: 'systemd-run',
    options:
      '-p:u:M:H:t: --property= --unit= --slice= --uid= --gid= --on-active= --on-calendar= --setenv= --working-directory= -E:',
    enters: '--working-directory',
  },
  { names: 'systemd-inhibit', options: '--what= --who= --why= --mode=' },
  { names: 'dbus-run-session, xvfb-run', options: '-n:s:e:f:', afterDashes: true },
  { names: 'machinectl shell', skip: 1, inner: 'elsewhere' },
  {
    names: 'ssh, slogin, autossh, mosh, sshpass ssh',
    options: '-B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:',
    skip: 1,
    lastScript: true,
    inner: 'elsewhere',
    shell: '',
  },
  { names: 'sshpass', options: '-p:f:d:P:' },
  {
    names: 'gcloud compute ssh, gcloud app instances ssh',
    options: '--command= --zone= --project= --ssh-flag=',
    script: '--command',
    optionsOnly: true,
    inner: 'elsewhere',
  },
  {
    names: 'gcloud compute ssh, az ssh vm|arc, aws ec2-instance-connect ssh',
    options:
      '-n:g: --zone= --project= --ssh-flag= --ssh-key-file= --name= --resource-group= --ip= --local-user= --instance-id= --region=',
    skip: 1,
    afterDashes: true,
    lastScript: true,
    inner: 'elsewhere',
  },
  {
    names: 'vagrant ssh, fly ssh, flyctl ssh, heroku ps:exec',
    options: '-c:C:a: --command= --app=',
    script: 'c|C|--command',
    optionsOnly: true,
    inner: 'elsewhere',
  },
  { names: 'heroku run', options: '-a: --app=', lastScript: true, inner: 'elsewhere' },
  {
    names:
      'docker run|create, podman run|create, nerdctl run|create, docker container run|create, podman container run|create',
    options: dockerRun,
    skip: 1,
    inner: 'elsewhere',
  },
  {
    names: 'docker exec, podman exec, nerdctl exec, docker container exec, podman container exec',
    options: dockerRun,
    skip: 1,
    inner: 'elsewhere',
  },
  {
    names: 'docker compose exec|run, docker-compose exec|run, podman-compose exec|run',
    options: dockerRun,
    skip: 1,
    inner: 'elsewhere',
  },
  {
    names: 'lxc exec, incus exec, multipass exec, distrobox enter, toolbox run',
    options: '-n:c: --name=',
    skip: 1,
    afterDashes: true,
    inner: 'elsewhere',
  },
  {
    names: 'kubectl exec, oc exec, k exec, oc rsh, kubectl run, kubectl debug',
    options:
      '-c:n:f:l: --container= --namespace= --context= --kubeconfig= --filename= --image= --target= --overrides= --restart=',
    skip: 1,
    afterDashes: true,
    inner: 'elsewhere',
  },
  {
    names: 'nix-shell',
    options: '-p:A:I:E: --run= --command= --packages=',
    script: '--run|--command',
    optionsOnly: true,
  },
  {
    names: 'nix develop|shell|run',
    options: '-c:f: --command= --file=',
    script: '--run',
    afterDashes: true,
    inner: 'package',
  },
  { names: 'conda run, mamba run, micromamba run', options: '-n:p: --name= --prefix=', inner: 'package' },
  {
    names:
      'poetry run, pipenv run, pdm run, hatch run, uv run, rye run, bundle exec, rbenv exec, pyenv exec, asdf exec, mise exec, mise x, direnv exec, volta run',
    options: '-p: --with= --python= --package= --directory= -C:',
    afterDashes: true,
    inner: 'package',
  },
  {
    names: 'npx, bunx, pnpx, uvx, pipx run',
    options: '-p:c: --package= --call=',
    script: 'c|--call',
    inner: 'package',
  },
  {
    names: 'npm exec|x, pnpm exec|dlx, yarn exec|dlx, bun x',
    options: '-p:c:C: --package= --call= --prefix= --dir=',
    script: 'c|--call',
    afterDashes: true,
    inner: 'package',
  },
  {
    names: 'dotenv, dotenvx run, cross-env, doppler run, op run, infisical run, aws-vault exec, chamber exec',
    options: '-e:f:p:c: --env-file= --project= --config=',
    assignments: true,
    afterDashes: true,
  },
  {
    names: 'tmux new-session|new|new-window|neww|split-window|run-shell|respawn-pane',
    options: '-c:e:F:n:s:t:x:y:L:S:f:',
    lastScript: true,
  },
  {
    names: 'tmux send-keys|send',
    options: '-N:t:L:S:',
    lastScript: true,
    keys: { enter: '\n', kpenter: '\n', 'c-m': '\n', 'c-j': '\n', space: ' ', tab: ' ', escape: '', bspace: '' },
    codes: 'H',
  },
  { names: 'screen', options: '-c:e:h:p:S:s:t:T:X:' },
  {
    names: 'wsl',
    options: '-d:u:e: --distribution= --user= --exec= --cd=',
    script: 'e|--exec',
    afterDashes: true,
    inner: 'elsewhere',
  },
  { names: 'concurrently, npm-run-all, run-p, run-s', options: '-n:c: --names=', lastScript: true },
  { names: 'pueue add, nq, ts, tsp', options: '-g:L:', lastScript: true },
  { names: 'git submodule foreach, repo forall', options: '-c:', script: 'c', lastScript: true },
  { names: 'git rebase', options: '-x:X:s: --exec= --onto= --strategy=', script: 'x|--exec', optionsOnly: true },
  { names: 'git bisect run' },
  { names: 'bun exec', lastScript: true },
  { names: 'git difftool|mergetool', options: '-x:t: --extcmd= --tool=', script: 'x|--extcmd', optionsOnly: true },
  {
    names: 'start-stop-daemon',
    options: '-x:p:u:c:g: --exec= --pidfile= --chuid=',
    script: 'x|--exec',
    optionsOnly: true,
  },
  {
    names: 'rsync',
    options: '-e:f:T: --rsh= --rsync-path= --exclude= --include= --files-from= --exclude-from= --filter=',
    script: 'e|--rsh|--rsync-path',
    optionsOnly: true,
  },
  {
    names: 'man',
    options: '-P:p:H:C:L:m:M:S:s:e: --pager= --html= --preprocessor=',
    script: 'P|H|--pager|--html',
    optionsOnly: true,
  },
  {
    names: 'rg, ripgrep',
    options: '-e:f:g:t:T:A:B:C:m:j:M:r: --pre= --hostname-bin= --pre-glob= --glob= --type=',
    script: '--pre|--hostname-bin',
    optionsOnly: true,
  },
  {
    names: 'sort, gsort',
    options: '-k:t:o:S:T: --compress-program= --key= --output=',
    script: '--compress-program',
    optionsOnly: true,
  },
  { names: 'split, gsplit', options: '-a:b:C:l:n: --filter= --bytes= --lines=', script: '--filter', optionsOnly: true },
  {
    names: 'tar, gtar, bsdtar',
    options:
      '-C:f:I:T:X:F: --checkpoint-action= --to-command= --use-compress-program= --info-script= --new-volume-script= --rmt-command= --rsh-command= --file= --directory=',
    script: '--to-command|--use-compress-program|--info-script|--new-volume-script|--rmt-command|--rsh-command|I|F',
    optionsOnly: true,
  },
  { names: 'zip', options: '-TT: -b: --unzip-command=', script: '--unzip-command', optionsOnly: true },
  {
    names: 'ncat, nc, netcat',
    options: '-c:e:g:G:i:m:M:o:O:p:q:s:T:w:W:x:X: --sh-exec= --exec= --lua-exec=',
    script: 'c|e|--sh-exec|--exec',
    optionsOnly: true,
  },
]
