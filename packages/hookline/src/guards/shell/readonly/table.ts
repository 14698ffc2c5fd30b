/**
 * What only reads. One line per program or sub-command: its name, then every option it may carry, in getopt's notation
 * (see arguments.ts). An option that is not here makes the command `unknown`, never `safe`. `max=n`
 * bounds the operands, for programs that write to, or act on, a further one; `needs=` names switches of which one must be set.
 *
 * To look a host up, by its name or by its address, is to send something: such programs need their switch for plain numbers. So
 * is to look for a newer version, as `pip list` does.
 */
/**
 * Programs that print their version or help and end, before they read anything of the working directory. Not here: those
 * that a file of the project sends to another program first (yarn, pnpm, cargo and rustc by rust-toolchain.toml, go by its
 * toolchain line, mvn, gradle, dotnet, composer, bundle, terraform by .terraform-version), and those that ask a server for the latest
 * version: gh and glab do so with every command.
 */
export const PRINTS_VERSION = (
  'node nodejs deno bun npm npx python python2 pip pip3 perl ruby gem php lua luajit gcc g++ clang clang++ make gmake cmake ninja ' +
  'git docker podman kubectl helm aws curl wget ssh rsync tmux psql mysql sqlite3 redis-cli jq yq rg fd bat eza ' +
  'grep egrep sed awk gawk ls cat cp mv rm mkdir touch head tail sort uniq wc cut tr tar gzip unzip zip diff patch date df du stat ' +
  'bash zsh dash less man file tree nginx apt apt-get dpkg rpm systemctl journalctl brew conda shellcheck hadolint black ruff mypy ' +
  'java javac tsc eslint prettier ffmpeg openssl gpg ip ss ps top htop nano vim vi emacs screen nohup cmp comm tee xxd od'
).split(' ')

/** Of these, a sub-command takes `--help` too, wherever only words stand before it. */
export const HELPS_BY_WORD = 'git docker podman kubectl helm pip pip3 gem brew conda systemctl'.split(' ')

/** Any other word may be a program in PATH that they run. */
export const OWN_WORDS: Readonly<Record<string, readonly string[]>> = {
  kubectl: (
    'annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon cp create delete ' +
    'describe diff drain edit events explain expose get kustomize label logs options patch port-forward proxy replace rollout scale set ' +
    'taint top uncordon version wait'
  ).split(' '),
}

export const READ_ONLY_FILES = `
ls|gls|dir|vdir -aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvw:xXZ1@ --all --almost-all --author --classify --color= --human-readable --inode --reverse --recursive --size --sort= --time= --time-style= --group-directories-first --full-time --directory --ignore= --hide= --si --width= --zero
eza|exa|lsd -1aABdDfFgGhHiIlLmoRrsStTuUxX --all --long --tree --level= --git --icons --sort= --group --header --color= --no-permissions --only-dirs
cat|gcat -AbeEnstTuv --show-all --number --number-nonblank --show-ends --show-tabs --squeeze-blank --show-nonprinting
bat|batcat -AfHl:npr:S --plain --style= --color= --language= --line-range= --number --show-all --decorations= --theme= --wrap=
tac -bs: --before --separator=
head|ghead -c:n:qvz -# --lines= --bytes= --quiet --silent --verbose --zero-terminated
tail|gtail -c:fFn:qs:vz -# --lines= --bytes= --follow --quiet --retry --pid= --sleep-interval= --verbose
wc|gwc -clLmw --bytes --chars --lines --max-line-length --words --total=
nl -b:d:f:h:i:l:n:ps:v:w: --body-numbering=
od|hexdump|hd -A:abcCdDe:fF:iIj:lLn:N:oOsS:t:vw:xX --address-radix= --format= --skip-bytes= --read-bytes= --canonical --length=
xxd -abc:dEeg:il:ps:uC --bits --cols= --len= --plain --seek= max=1
strings -aAdefhn:oSs:t:TvwU: --all --bytes= --radix=
file|gfile -0bEhikLNprsSvz --brief --mime --mime-type --mime-encoding --dereference --no-dereference --extension
stat|gstat -c:fLt:xlsnrqF --format= --printf= --file-system --terse --dereference
du|gdu -0aAbcdd:hHklLmPsSxt:X:I: --all --apparent-size --bytes --total --max-depth= --human-readable --summarize --exclude= --si --time --threshold= --one-file-system
df|gdf -aBbghHiIklmnPTt:x: --all --block-size= --human-readable --inodes --local --output= --print-type --total --type= --si
tree -aACdDfFghHiIJI:lL:nNP:pqrsStuvX --dirsfirst --filelimit= --gitignore --noreport --prune --charset= --sort= --du --si
pwd -LP
basename -as:z --multiple --suffix= --zero
dirname -z --zero
realpath|grealpath -eLmPqsz --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= --no-symlinks
readlink|greadlink -efmnqsvz --canonicalize
cut|gcut -b:c:d:f:nsz --bytes= --characters= --delimiter= --fields= --output-delimiter= --complement --only-delimited
tr|gtr -cCdst --complement --delete --squeeze-repeats --truncate-set1
rev
uniq|guniq -cdDf:is:uw:z --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars= max=1
sort|gsort -bcCdfgGhik:mMnrRst:uVz --key= --field-separator= --numeric-sort --reverse --unique --human-numeric-sort --version-sort --ignore-case --check --stable --random-sort --general-numeric-sort --zero-terminated
comm -123z --check-order --nocheck-order --output-delimiter= --total
cmp -bi:ln:s --bytes= --ignore-initial= --print-bytes --quiet --silent --verbose
diff|gdiff|colordiff|sdiff -abBcdeEfiI:lnNpqrsStTuU:vwx:X:yW:C: -# --brief --color= --unified= --recursive --side-by-side --ignore-all-space --ignore-space-change --ignore-blank-lines --exclude= --new-file --report-identical-files --stat --strip-trailing-cr --suppress-common-lines --width= --context= --no-dereference --label=
paste -d:sz --delimiters= --serial
join -1:2:a:e:ij:o:t:v: --header --check-order
fold|fmt|column|pr|expand|unexpand -bcd:e:g:h:i:jl:LnN:o:O:p:rR:s:St:tuw:xW:H: --width= --spaces --table --separator= --tabs= --initial --output-separator= --table-columns= --json
md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|cksum|sum|shasum|md5|crc32|xxhsum -a:bctwqrszp --algorithm= --binary --check --quiet --status --tag --text --warn --strict --ignore-missing
echo -eEn
printf
seq|gseq -f:s:w --format= --separator= --equal-width
true
false
sleep|gsleep
cal|ncal -13bhjmyAB: --monday --sunday
uname -aimnoprsv --all --kernel-name --machine --nodename --operating-system
arch
nproc --all --ignore=
hostname -Is --all-ip-addresses --short max=0
whoami
id -agGnruzZ --user --group --groups --name --real
groups
users
who|w -abdfhHilmpqrsTtu --all --boot --heading --users
last|lastb|lastlog -an:FiRwxsu:t:b: -#
tty -s
logname
uptime -psV --pretty --since
free -bghklmst:vw -c: --human --bytes --mega --giga --total --seconds= --wide
lscpu|lsblk|lsusb|lsmod|lsmem|lsns|lslocks|lsipc|lslogins|findmnt|lsattr|lsfd -abcdDe:fgGhiIJklLmMnNo:OpPqrRsSt:TuvVxXy --json --output= --all --fs --paths --bytes --list --noheadings --short --class= --summary --target= --source= --types=
lspci -bDd:kmnPs:tvx
lshw -word -short -class= -C= -json -html -xml -businfo -numeric -quiet -sanitize -notime max=0
blkid -ikL:lo:ps:t:U: --output= --match-tag= --label= --uuid=
pstree -aAcghH:lnpsStTuUZ
pgrep -acdfg:G:iLlnoP:s:t:u:U:vx --full --list-name --list-full --count --euid= --newest --oldest --exact --parent= --ignore-case
pidof|pidwait -cnoqsxSz
top -bcd:eE:HiIn:o:O:p:sSu:U:w:l: max=0
fuser -acCimnsuvV4:6
jobs -lnprs
type -afptP
which|whereis -abfmMsSuBp --all --skip-alias
times
locale -ackm --all-locales --charmaps
getconf -av:
test
[
yq|xq|tomlq -cCeEejMNnPrRo:p: --output-format= --input-format= --prettyPrint --no-doc --unwrapScalar= --colors --null-input --exit-status --raw-output
grep|egrep|fgrep|ggrep -aA:bB:cC:d:D:e:EFGhHiIlLm:nNoPqrRsTuUvVwxyzZ -# --after-context= --before-context= --context= --color= --colour= --count --exclude= --exclude-dir= --include= --extended-regexp --fixed-strings --perl-regexp --basic-regexp --files-with-matches --files-without-match --ignore-case --no-ignore-case --invert-match --line-number --line-regexp --max-count= --no-filename --with-filename --no-messages --null --only-matching --quiet --silent --recursive --dereference-recursive --regexp= --text --word-regexp --binary-files= --label= --line-buffered --initial-tab --byte-offset
ag -aA:B:C:cfgG:hHiIlLm:noQrRsSuvwW:z0 --ignore= --ignore-dir= --hidden --nocolor --color --column --literal --count --files-with-matches --depth= --nogroup
fd|fdfind -0aAcd:e:E:FgHiIlLpqsSt:u1 --hidden --no-ignore --type= --extension= --exclude= --max-depth= --min-depth= --absolute-path --glob --fixed-strings --follow --full-path --size= --changed-within= --changed-before= --color= --list-details --max-results= --case-sensitive --ignore-case --print0 --threads=
locate|mlocate|plocate -0Ab:cd:eil:Lm:nPqrsSw --basename --count --ignore-case --limit= --regex
tput cols|lines|colors
clear
base64|base32 -dDw: --decode --wrap=
mount max=0
nm|size|otool|lipo -aACdDefghiILnpPrRsStTuvVxX --all --symbols --headers --demangle --dynamic --archs
objdump -aCdDfhiprRstTvVwxz --all-headers --syms --headers --demangle --disassemble
readelf -aAcdDehInPrRsStuvVWx --all --symbols --headers --dynamic
sw_vers|system_profiler|vm_stat|mdfind|mdls
arp|route -aen max=0 needs=n
timedatectl|hostnamectl|localectl|loginctl max=0
less -eEfFgGiIJmMnNqQrRsSuUwWX -# --chop-long-lines --line-numbers --quit-if-one-screen --raw-control-chars --no-init --ignore-case
more|most -cdflsu
vmstat|iostat|mpstat|pidstat -acdDfmnpSstwxkhyzrubP:A
ps -aAdefFgG:hHjlLmMno:O:p:Pq:rsSt:TuU:vVwxXyZN --forest --sort= --pid= --ppid= --user= --format= --no-headers --headers --width=
lsof -abBcd:f:F:g:hi:KlLm:MnNoOp:PrRsS:tT:u:UvVwxXc: needs=n
ss -0246abdeEfgHiklmMnoOpPstTuvVwWxzZA: --all --listening --numeric --processes --tcp --udp --info --summary
netstat -46aeFgilMnoprstuvVwWx --all --listening --numeric --processes --tcp --udp --route --interfaces --statistics --summary needs=n|i|s|--numeric|--interfaces|--statistics
getent passwd|group|services|protocols|shells
man|apropos|whatis -afkws: --where --apropos --whatis
jq|gojq|jaq -acCejMnrRSs --arg= --argjson= --args --jsonargs --compact-output --raw-output --raw-input --null-input --slurp --tab --indent= --sort-keys --exit-status --color-output --monochrome-output --join-output --ascii-output --seq --stream
rg|ripgrep -aA:bB:cC:d:e:EFg:hHiIj:lLm:M:nNoOpPqr:sSt:T:uUvwx0. --after-context= --before-context= --context= --color= --colors= --column --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob= --heading --no-heading --hidden --ignore-case --invert-match --json --line-number --no-line-number --max-count= --max-depth= --max-columns= --multiline --multiline-dotall --no-ignore --no-ignore-vcs --no-messages --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --text --trim --type= --type-not= --type-list --unrestricted --vimgrep --with-filename --no-filename --word-regexp --no-config --follow --null --encoding= --threads=
scc|tokei --by-file --exclude-dir= --include-lang= --quiet --json --files
sysctl -aen
help -dms
`
export const READ_ONLY_TOOLS = `
git -C: --no-pager --version --no-optional-locks --literal-pathspecs --html-path --man-path --info-path --exec-path
git status -bsu::vz --short --branch --porcelain= --long --verbose --untracked-files= --ignored= --show-stash --ahead-behind --no-ahead-behind --column= --renames
git diff -abBcCD:G:iIl:mMnpqrRsS:tuU:vwzW -# --stat= --name-only --name-status --cached --staged --no-color --color= --color-words= --word-diff= --numstat --shortstat --summary --patch --no-patch --raw --minimal --unified= --check --exit-code --quiet --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-cr-at-eol --diff-filter= --find-renames= --find-copies= --merge-base --no-index --relative= --no-ext-diff --no-textconv --no-prefix --submodule= --histogram --patience --diff-algorithm= --function-context --compact-summary --dirstat= --binary --full-index --abbrev= --text --pickaxe-regex --pickaxe-all
git log|shortlog|whatchanged -abBcCeG:gG:iEFhIL:mMn:npqrRsS:tuU:vwzW -# --oneline --graph --all --decorate= --stat= --name-only --name-status --no-merges --merges --author= --committer= --since= --until= --after= --before= --grep= --all-match --invert-grep --format= --pretty= --date= --follow --reverse --max-count= --skip= --first-parent --branches= --tags= --remotes= --patch --no-patch --shortstat --numstat --abbrev-commit --abbrev= --color= --no-color --left-right --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --no-decorate --source --walk-reflogs --reflog --summary --numbered --email --diff-filter= --relative-date --simplify-by-decoration --full-history --ancestry-path --show-pulls --boundary --no-ext-diff --no-textconv --word-diff= --unified= --raw --clear-decorations --exclude= --min-parents= --max-parents= --find-renames= --group= --notes= --no-notes --not
git show -abBcCmMnpqrRsS:tuU:vwzW -# --stat= --name-only --name-status --oneline --format= --pretty= --no-patch --patch --color= --no-color --abbrev-commit --decorate= --date= --summary --shortstat --numstat --raw --no-ext-diff --no-textconv --word-diff= --unified= --first-parent --diff-filter= --quiet --notes= --find-renames=
git branch -arvlqi --all --remotes --list --verbose --show-current --merged --no-merged --contains --no-contains --sort= --format= --points-at= --column= --no-column --color= --no-color --abbrev= --ignore-case max=0
git branch -arvlqi --all --remotes --list --verbose --show-current --merged --no-merged --contains --no-contains --sort= --format= --points-at= --column= --no-column --color= --no-color --abbrev= --ignore-case needs=l|--list|--contains|--no-contains|--merged|--no-merged|--points-at
git tag --sort= --format= max=0
git tag -ln: --list --sort= --format= --contains --merged --points-at= --no-contains --column= --ignore-case needs=l|--list|--contains|--merged|--points-at|--no-contains
git remote -v --verbose max=0
git remote get-url --all --push
git stash list
git stash show -puU: --stat --patch --name-only --include-untracked
git reflog -n: -# --all --date= --format= --oneline --pretty= --max-count= max=0
git reflog show|exists|list -n: -# --all --date= --format= --oneline --pretty= --max-count=
git worktree list -vz --porcelain --verbose
git rev-parse --abbrev-ref= --short= --show-toplevel --verify --git-dir --is-inside-work-tree --symbolic-full-name --git-common-dir --show-prefix --show-cdup --absolute-git-dir --is-bare-repository --quiet -q --all --branches --tags --remotes --default= --symbolic --git-path= --show-superproject-working-tree
git rev-list|merge-base|name-rev|describe|cherry|range-diff|show-branch|show-ref|for-each-ref|ls-files|ls-tree|cat-file|diff-tree|diff-index|diff-files|check-ignore|check-attr|check-mailmap|check-ref-format|count-objects|blame|annotate|patch-id|get-tar-commit-id -aAbcCdeEfghHiklLmMn:nopqrRsStuvwxXzZ -# --all --count --left-right --max-count= --since= --until= --always --tags --long --dirty= --match= --abbrev= --contains --exact-match --candidates= --heads --head --verify --quiet --sort= --format= --cached --others --deleted --modified --stage --ignored --exclude-standard --unmerged --error-unmatch --full-name --name-only --name-status --long --batch-check --is-ancestor --octopus --independent --fork-point --line-porcelain --porcelain --date= --show-name --show-number --show-email --first-parent --no-merges --merges --merged= --no-merged= --points-at= --count= --stat --stdin --verbose --non-matching --human-readable --oneline --objects --no-walk --reverse --author= --grep= --killed --directory --no-empty-directory --eol --recurse-submodules --full --strict --unreachable --dangling --no-dangling --name-objects --hash= --dereference --exclude= --refs= --root --raw --abbrev-commit
git grep -aA:bB:cC:e:EFGhHiIlLm:nopPqrsvwWxz --count --ignore-case --line-number --fixed-strings --extended-regexp --perl-regexp --files-with-matches --name-only --cached --untracked --no-index --and --or --not --all-match --color= --no-color --break --heading --show-function --word-regexp --max-depth= --quiet --column --only-matching
git var max=1
git version --build-options
git notes list|show
git bisect log
git config --get --get-all --show-origin --show-scope --global --local --system --worktree --type= --bool --int --path max=1 needs=--get|--get-all
git config get --all --show-origin --show-scope --global --local --system max=1
docker|podman|nerdctl ps|images|version -aqlsn:f: --all --quiet --no-trunc --filter= --format= --last= --latest --size --digests
docker|podman|nerdctl logs -fnt:n: --follow --tail= --timestamps --since= --until= --details
docker|podman|nerdctl top|port|stats|diff -a --format= --no-stream --no-trunc --all max=1
docker|podman|nerdctl container|image|volume|network ls|list -aqlsn:f: --all --quiet --no-trunc --filter= --format= --size
docker|podman system df -v --verbose --format=
docker|podman|nerdctl compose ls|version -aq --all --quiet
`
export const READ_ONLY_SERVICES = `
pip|pip3 show|check -fvl --format= --files --verbose --user --local --not-required
pip|pip3 list -vl --format= --verbose --user --local --not-required --disable-pip-version-check needs=--disable-pip-version-check
conda list|info -aen --json --envs --name=
conda env list
gem list|environment|which|contents -adl --local --all --details --versions
brew list|leaves -1v --versions --cask --formula
apt|apt-cache list|show|search|policy|depends|rdepends|madison|showpkg|stats -ain --installed --upgradable --all-versions --names-only --full
dpkg|dpkg-query -lLsSpW: --list --listfiles --status --search --print-avail --get-selections --show --showformat= --print-architecture needs=l|L|s|S|p|W|--list|--listfiles|--status|--search|--get-selections|--show|--print-architecture
rpm -qailRf --query --all --info --list --requires --whatprovides --queryformat= --file needs=q|--query
pacman -Qilsqkoeudmtn --query needs=Q|--query
snap|flatpak list|version --all --columns= --app
systemctl status|list-units|list-unit-files|list-timers|list-sockets|list-dependencies|is-active|is-enabled|is-failed|cat|get-default|is-system-running -aln:o:p:qrt:u --all --full --no-pager --lines= --output= --type= --state= --failed --user --system --no-legend --plain --value --recursive --reverse --quiet
journalctl -aefkn:o:p:qrS:t:u:U:xb:g:m -# --boot= --follow --lines= --no-pager --output= --priority= --since= --until= --unit= --user-unit= --grep= --reverse --dmesg --identifier= --user --system --catalog --no-hostname --utc --disk-usage --list-boots --fields --field=
dmesg -deHkl:LrTtuwx --color= --ctime --human --kernel --level= --facility= --follow --reltime --notime --nopager
launchctl list|managername
crontab -l max=0 needs=l
atq
zpool status|list|get|history|iostat -HLPpTvxo: -T:
zfs list|get|holds|userspace|groupspace -Hprt:o:s:S:d:
lvs|vgs|pvs|lvdisplay|vgdisplay|pvdisplay -acoOPvS: --all --units= --noheadings --options= --columns
mdadm -DEQs --detail --examine --query --scan needs=D|E|Q|--detail|--examine|--query
btrfs filesystem|subvolume|device|scrub show|df|usage|list|stats|status|du -abcghHikmoprstTu
smartctl -aAHicx --all --info --health --attributes --scan
fdisk -l --list needs=l|--list
sgdisk -p --print needs=p|--print
diskutil list|info -plist
iptables|ip6tables -LnSvxt: --list --list-rules --numeric --verbose --line-numbers --table= needs=L|S|--list|--list-rules
ufw status max=2
firewall-cmd --list-all --state --get-zones --get-active-zones --list-services --list-ports --zone=
ip -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p
ip a|addr|address|l|link|r|route|n|neigh|neighbour|rule|maddr|netns|tunnel -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p max=0
ip a|addr|address|l|link|r|route|n|neigh|neighbour|rule|netns show|list|ls|get -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p
ip a|addr|address|r|route s -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p
ifconfig -aLms max=0
ifconfig max=1
iwconfig|ethtool -a max=1
networkctl -a max=0
tmutil listbackups|status|latestbackup|listlocalsnapshots|destinationinfo
openssl version|list|ciphers -a
openssl x509|req|crl|verify|asn1parse -word -in= -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial -purpose -sha256 -inform= -CAfile= -modulus -email -nameopt= -ext= -checkend=
ssh-add -lL needs=l|L
ssh-keygen -lvE:f: max=0 needs=l
gpg|gpg2 -kK --list-keys --list-secret-keys --list-public-keys --fingerprint --keyid-format= --with-colons needs=k|K|--list-keys|--list-secret-keys|--list-public-keys|--fingerprint
tar|gtar|bsdtar -tf:vzjJa --list --file= --verbose --gzip --exclude= needs=t|--list
unzip -lvZtqz needs=l|v|Z|t
zipinfo -1lmshtvz
zcat|gzcat|bzcat|xzcat|zstdcat|lz4cat
gzip|xz|zstd|bzip2 -ltv --list --test needs=l|t|--list|--test
shellcheck -f:s: --format= --severity= --shell=
hadolint|yamllint -f: --format= --no-color
black --check --diff --quiet needs=--check|--diff
gofmt -ld needs=l|d
tsc -p: --project= --showConfig needs=--showConfig
tmux ls|list-sessions max=0
screen -word -ls -list max=0
lsb_release -acdirs --all --short
xcode-select -p --print-path needs=p|--print-path
`
