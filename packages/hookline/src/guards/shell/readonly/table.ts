/**
 * What only reads. One line per program or sub-command: its name, then every option it may carry, in getopt's notation
 * (see arguments.ts). An option that is not here makes the command `unknown`, never `safe`. `max=n`
 * bounds the operands, for programs that write to, or act on, a further one; `needs=` names switches of which one must be set.
 */
export const READ_ONLY_FILES = `
ls|gls|dir|vdir -aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvw:xXZ1@ --all --almost-all --author --classify --color= --human-readable --inode --reverse --recursive --size --sort= --time= --time-style= --group-directories-first --full-time --directory --ignore= --hide= --si --width= --zero
eza|exa|lsd -1aABdDfFgGhHiIlLmoRrsStTuUxX --all --long --tree --level= --git --icons --sort= --group --header --color= --no-permissions --only-dirs
cat|gcat -AbeEnstTuv --show-all --number --number-nonblank --show-ends --show-tabs --squeeze-blank --show-nonprinting
bat|batcat -AfHl:npr:S --plain --style= --color= --language= --line-range= --number --show-all --decorations= --theme= --wrap=
tac -bs: --before --separator=
head|ghead -c:n:qvz -# --lines= --bytes= --quiet --silent --verbose --zero-terminated
tail|gtail -c:fFn:qs:vz -# --lines= --bytes= --follow --quiet --retry --pid= --sleep-interval= --verbose
less -eEfFgGiIJmMnNqQrRsSuUwWX -# --chop-long-lines --line-numbers --quit-if-one-screen --raw-control-chars --no-init --ignore-case
more|most -cdflpsu
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
hostname -AadfiIsy --all-fqdns --all-ip-addresses --fqdn --ip-address --short --long max=0
whoami
id -agGnruzZ --user --group --groups --name --real
groups
users
who|w -abdfhHilmpqrsTtu --all --boot --heading --users
last|lastb|lastlog -an:dFiRwxsu:t:b: -#
tty -s
logname
uptime -psV --pretty --since
free -bghklmst:vw -c: --human --bytes --mega --giga --total --seconds= --wide
vmstat|iostat|mpstat|sar|pidstat -acdDfmnpSstwxkhyzrubP:A
lscpu|lsblk|lsusb|lspci|lsmod|lsmem|lshw|lsns|lslocks|lsipc|lslogins|blkid|findmnt|lsattr|lsfd -abcdDe:fgGhiIJklLmMnNo:OpPqrRsSt:TuvVxXy --json --output= --all --fs --paths --bytes --list --noheadings --short --class= --summary --target= --source= --types=
ps -aAdeEfFgG:hHjlLmMno:O:p:Pq:rsSt:TuU:vVwxXyZN --forest --sort= --pid= --ppid= --user= --format= --no-headers --headers --width=
pstree -aAcghH:lnpsStTuUZ
pgrep -acdfg:G:iLlnoP:s:t:u:U:vx --full --list-name --list-full --count --euid= --newest --oldest --exact --parent= --ignore-case
pidof|pidwait -cnoqsxSz
top -bcd:eE:HiIn:o:O:p:sSu:U:w:l: max=0
lsof -abBcCd:Df:F:g:hi:KlLm:MnNoOp:PrRsS:tT:u:UvVwxXc:
fuser -acCimnsuvV4:6
jobs -lnprs
type -afptP
which|whereis -abfmMsSuBp --all --skip-alias
hash -ltd
help -dms
history max=1
times
locale -ackm --all-locales --charmaps
getconf -av:
getent
printenv -0 --null
man|info|apropos|whatis|tldr -afkKwWs:S:L:l --where --all --apropos --whatis --sections= --locale=
test
[
jq|gojq|jaq -acCeefhjMnrRSsj --arg= --argjson= --args --jsonargs --compact-output --raw-output --raw-input --null-input --slurp --tab --indent= --sort-keys --exit-status --color-output --monochrome-output --join-output --ascii-output --seq --stream
yq|xq|tomlq -cCeEejMNnPrRo:p: --output-format= --input-format= --prettyPrint --no-doc --unwrapScalar= --colors --null-input --exit-status --raw-output
xmllint --format --noout --xpath= --valid --schema=
grep|egrep|fgrep|ggrep|zgrep|bzgrep|xzgrep -aA:bB:cC:d:D:e:EFGhHiIlLm:nNoPqrRsTuUvVwxyzZ -# --after-context= --before-context= --context= --color= --colour= --count --exclude= --exclude-dir= --include= --extended-regexp --fixed-strings --perl-regexp --basic-regexp --files-with-matches --files-without-match --ignore-case --no-ignore-case --invert-match --line-number --line-regexp --max-count= --no-filename --with-filename --no-messages --null --only-matching --quiet --silent --recursive --dereference-recursive --regexp= --text --word-regexp --binary-files= --label= --line-buffered --initial-tab --byte-offset
rg|ripgrep -aA:bB:cC:d:e:EFg:hHiIj:lLm:M:nNoOpPqr:sSt:T:uUvwxz0. --after-context= --before-context= --context= --color= --colors= --column --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob= --heading --no-heading --hidden --ignore-case --invert-match --json --line-number --no-line-number --max-count= --max-depth= --max-columns= --multiline --multiline-dotall --no-ignore --no-ignore-vcs --no-messages --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --text --trim --type= --type-not= --type-list --unrestricted --vimgrep --with-filename --no-filename --word-regexp --no-config --follow --null --debug --encoding= --threads=
ag -aA:B:C:cfgG:hHiIlLm:noQrRsSuvwW:z0 --ignore= --ignore-dir= --hidden --nocolor --color --column --literal --count --files-with-matches --depth= --nogroup
fd|fdfind -0aAcd:e:E:FgHiIlLpqsSt:u1 --hidden --no-ignore --type= --extension= --exclude= --max-depth= --min-depth= --absolute-path --glob --fixed-strings --follow --full-path --size= --changed-within= --changed-before= --color= --list-details --max-results= --case-sensitive --ignore-case --print0 --threads=
locate|mlocate|plocate -0Ab:cd:eil:Lm:nPqrsSw --basename --count --ignore-case --limit= --regex
cloc|scc|tokei|loc|sloccount --by-file --by-percent= --exclude-dir= --include-lang= --quiet --vcs= --json --files --sort= -f:s:e:
tput|clear
base64|base32 -dDw: --decode --wrap=
mount max=0
nm|objdump|readelf|size|otool|lipo -aACdDefghiIlLnpPrRsStTuvVwWxX --all --symbols --headers --demangle --dynamic --disassemble --archs
nvidia-smi -L --query-gpu= --format= --list-gpus
sw_vers|system_profiler|vm_stat|mdfind|mdls
sysctl -aen
ss|netstat -0246abdDeEfgHiklmMnNoOpPrstTuvVwWxzZA:F: --all --listening --numeric --processes --tcp --udp --route --interfaces --statistics --summary
arp|route -aen max=0
timedatectl|hostnamectl|localectl|loginctl max=0
`
export const READ_ONLY_TOOLS = `
git -C: --no-pager --git-dir= --work-tree= --version --no-optional-locks --literal-pathspecs --html-path --man-path --info-path --exec-path
git status -bsuvz --short --branch --porcelain= --long --verbose --untracked-files= --ignored= --show-stash --ahead-behind --no-ahead-behind --column= --renames
git diff -abBcCD:G:iIl:mMnpqrRsS:tuU:vwzW -# --stat= --name-only --name-status --cached --staged --no-color --color= --color-words= --word-diff= --numstat --shortstat --summary --patch --no-patch --raw --minimal --unified= --check --exit-code --quiet --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-cr-at-eol --diff-filter= --find-renames= --find-copies= --merge-base --no-index --relative= --no-ext-diff --no-textconv --no-prefix --submodule= --histogram --patience --diff-algorithm= --function-context --compact-summary --dirstat= --binary --full-index --abbrev= --text --pickaxe-regex --pickaxe-all
git log|shortlog|whatchanged -abBcCeG:gG:iEFhIL:mMn:npqrRsS:tuU:vwzW -# --oneline --graph --all --decorate= --stat= --name-only --name-status --no-merges --merges --author= --committer= --since= --until= --after= --before= --grep= --all-match --invert-grep --format= --pretty= --date= --follow --reverse --max-count= --skip= --first-parent --branches= --tags= --remotes= --patch --no-patch --shortstat --numstat --abbrev-commit --abbrev= --color= --no-color --left-right --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --no-decorate --source --show-signature --walk-reflogs --reflog --summary --numbered --email --diff-filter= --relative-date --simplify-by-decoration --full-history --ancestry-path --show-pulls --boundary --no-ext-diff --no-textconv --word-diff= --unified= --raw --clear-decorations --exclude= --min-parents= --max-parents= --find-renames= --group= --notes= --no-notes --not
git show -abBcCmMnpqrRsS:tuU:vwzW -# --stat= --name-only --name-status --oneline --format= --pretty= --no-patch --patch --color= --no-color --abbrev-commit --decorate= --date= --summary --shortstat --numstat --raw --no-ext-diff --no-textconv --word-diff= --unified= --first-parent --diff-filter= --quiet --notes= --find-renames= --show-signature
git branch -arvlqi --all --remotes --list --verbose --show-current --merged --no-merged --contains --no-contains --sort= --format= --points-at= --column= --no-column --color= --no-color --abbrev= --ignore-case max=0
git branch -arvlqi --all --remotes --list --verbose --show-current --merged --no-merged --contains --no-contains --sort= --format= --points-at= --column= --no-column --color= --no-color --abbrev= --ignore-case needs=l|--list|--contains|--no-contains|--merged|--no-merged|--points-at
git tag --sort= --format= max=0
git tag -ln: --list --sort= --format= --contains --merged --points-at= --no-contains --column= --ignore-case needs=l|--list|--contains|--merged|--points-at|--no-contains
git remote -v --verbose max=0
git remote show|get-url -n --all --push
git stash list
git stash show -puU: --stat --patch --name-only --include-untracked
git reflog -n: -# --all --date= --format= --oneline --pretty= --max-count= max=0
git reflog show|exists|list -n: -# --all --date= --format= --oneline --pretty= --max-count=
git worktree list -vz --porcelain --verbose
git rev-parse --abbrev-ref= --short= --show-toplevel --verify --git-dir --is-inside-work-tree --symbolic-full-name --git-common-dir --show-prefix --show-cdup --absolute-git-dir --is-bare-repository --quiet -q --all --branches --tags --remotes --default= --symbolic --git-path= --show-superproject-working-tree
git rev-list|merge-base|name-rev|describe|cherry|range-diff|show-branch|show-ref|for-each-ref|ls-files|ls-tree|cat-file|diff-tree|diff-index|diff-files|check-ignore|check-attr|check-mailmap|check-ref-format|count-objects|blame|annotate|var|verify-commit|verify-tag|fsck|merge-tree|patch-id|get-tar-commit-id -aAbcCdeEfghHiklLmMn:noOpqrRsStuvwxXzZ -# --all --count --left-right --max-count= --since= --until= --always --tags --long --dirty= --match= --abbrev= --contains --exact-match --candidates= --heads --head --verify --quiet --sort= --format= --cached --others --deleted --modified --stage --ignored --exclude-standard --unmerged --error-unmatch --full-name --name-only --name-status --long --batch-check --batch --is-ancestor --octopus --independent --fork-point --line-porcelain --porcelain --date= --show-name --show-number --show-email --first-parent --no-merges --merges --merged= --no-merged= --points-at= --count= --stat --stdin --verbose --non-matching --human-readable --oneline --objects --no-walk --reverse --author= --grep= --killed --directory --no-empty-directory --eol --recurse-submodules --full --strict --unreachable --dangling --no-dangling --lost --name-objects --hash= --dereference --exclude= --refs= --root --raw --abbrev-commit
git grep -aA:bB:cC:e:EFGhHiIlLm:nopPqrsvwWxz --count --ignore-case --line-number --fixed-strings --extended-regexp --perl-regexp --files-with-matches --name-only --cached --untracked --no-index --and --or --not --all-match --color= --no-color --break --heading --show-function --word-regexp --max-depth= --quiet --column --only-matching
git config --get --get-all --get-regexp= --list -lz --show-origin --show-scope --global --local --system --worktree --name-only --null --type= --bool --int --path max=1
git config --get --get-all --get-regexp= --list -lz --show-origin --show-scope --global --local --system --worktree --name-only --null --type= --bool --int --path needs=--get|--get-all|--get-regexp|l|--list
git config get|list --all --show-origin --show-scope --global --local --system --name-only -z
git help -agim --all --guides --config --user-interfaces
git version --build-options
git submodule status|summary --recursive --cached --quiet -q
git notes list|show
git bisect log|view
git lfs ls-files|status|env|version -laszn --all --long --size
docker|podman|nerdctl -H:c:l:D --context= --host= --log-level= --config= --version -v
docker|podman|nerdctl ps|images|version|info -aqlsn:f: --all --quiet --no-trunc --filter= --format= --last= --latest --size --digests --tree
docker|podman|nerdctl logs -fnt:n: --follow --tail= --timestamps --since= --until= --details
docker|podman|nerdctl inspect|top|port|stats|diff|history|events|search -afsHq: --format= --type= --size --no-stream --no-trunc --all --human= --quiet --since= --until= --filter= --limit=
docker|podman|nerdctl container|image|volume|network|context|plugin|service|stack|node|secret|config|buildx|builder|manifest|pod|machine ls|list|inspect|ps|logs|top|stats|port|history|diff|show|du -aqlsn:f: --all --quiet --no-trunc --filter= --format= --size --follow --tail= --since= --verbose --pretty
docker|podman system df|info|events -v --verbose --format=
docker|podman|nerdctl compose ps|ls|config|logs|images|top|version|port|events -aqf:p: --all --quiet --services --format= --follow --tail= --since= --file= --project-name= --no-color --timestamps --status= --filter= --volumes --hash= --profiles
docker-compose ps|ls|config|logs|images|top|version|port|events -aqf:p: --all --quiet --services --format= --follow --tail= --file= --project-name=
kubectl|oc|k -n: --namespace= --context= --kubeconfig= --cluster=
kubectl|oc|k get|describe|top|explain|api-resources|api-versions|cluster-info|version|events -Awn:l:o:L: --all-namespaces --watch --namespace= --selector= --output= --sort-by= --show-labels --field-selector= --no-headers --context= --kubeconfig= --containers --recursive --client --short --show-events= --label-columns= --api-group= --namespaced= --verbs= --chunk-size= --ignore-not-found
kubectl|oc|k logs -fn:c:l:p --follow --namespace= --container= --tail= --since= --previous --timestamps --all-containers --selector= --context= --prefix --since-time= --max-log-requests=
kubectl|oc|k config current-context|get-contexts|get-clusters|get-users -o: --output= --no-headers
kubectl|oc|k config view --minify -o: --output=
kubectl|oc|k rollout status|history -n: --namespace= --watch= --timeout= --revision= --context=
kubectl|oc|k auth can-i|whoami -A --list --namespace= -n: --as= --all-namespaces
kubectl|oc|k diff -f:k:Rn: --filename= --kustomize= --recursive --namespace= --server-side
helm -n: --namespace= --kube-context= --kubeconfig=
helm list|ls|status|history|version|search|show|env|get|lint|template|verify -aAn:o:f: --all --all-namespaces --namespace= --output= --kube-context= --revision= --short --values= --set= --version= --max= --versions --filter= --deployed --failed
terraform|tofu -word -chdir= -version -help
terraform|tofu plan|show|validate|version|graph -word -destroy -json -no-color -input= -lock= -refresh= -target= -var= -var-file= -detailed-exitcode -compact-warnings -lock-timeout= -parallelism= -state= -type= -check -refresh-only
terraform|tofu providers|output -word -no-color max=0
terraform|tofu fmt -word -check -diff -recursive needs=-check
terraform|tofu state list -word -state= -id=
terraform|tofu workspace list|show
pulumi whoami|version|about max=0
`
export const READ_ONLY_SERVICES = `
npm|pnpm|yarn|bun -vg --version --silent --prefix= --global
npm|pnpm|yarn ls|list|ll|la|view|info|show|outdated|why|explain|root|bin|prefix|search|ping|whoami|fund|docs-list|licenses|query|doctor|pm -agpsDPlr --all --depth= --global --json --long --parseable --prod --dev --production --omit= --recursive --filter= --audit-level= --registry=
npm|pnpm|yarn audit --json --audit-level= --omit= --prod --production max=0
npm|pnpm|yarn config get|list|ls -l --json --location= --global
npm version max=0
npm pkg get
npm dist-tag|owner ls
npm pack --dry-run --json needs=--dry-run
node|nodejs|deno|bun|ruby|perl|php|rustc|cargo|rustup|gcc|g++|clang|clang++|make|gmake|tsc|npm|npx|pnpm|yarn|gem|composer|mvn|gradle|kotlin|elixir|lua|luajit|julia|terraform|gh|eslint|prettier|jest|vitest|brew|nginx -vV --version -version --help max=0 needs=v|V|--version|-version|--help
java|javac -word -version --version max=0 needs=-version|--version
python|python2|pip|pip3|poetry|uv|pipenv|conda|go|cmake|ninja|bundle|dotnet|swift|scala|mix|ghc|cabal|stack|zig|r|rscript|git|docker|podman|kubectl|helm|tofu|aws|gcloud|az|glab|heroku|vercel|netlify|fly|flyctl|ansible|vagrant|packer|curl|wget|ssh|rsync|tmux|psql|mysql|sqlite3|redis-cli|mongosh|apt|apt-get|dpkg|rpm|systemctl|pytest|black|ruff|flake8|mypy|pylint|tox|rubocop|rspec|golangci-lint|biome -V --version -version --help max=0 needs=V|--version|-version|--help
go version|env|list|doc|help -word -json -m -f= -deps -u -test -e
go mod graph|why|verify -m
cargo tree|metadata|search|locate-project|pkgid|verify-project|read-manifest -p:e:i:d --package= --depth= --edges= --invert= --duplicates --format-version= --no-deps --all-features --features= --offline --locked --message-format= --manifest-path= --prefix= --no-dedupe --limit=
cargo --list max=0
rustup show|which|check|doc -v --verbose --installed
rustup toolchain|target|component list --installed
pip|pip3 list|show|freeze|check|index|inspect|debug|help|hash -fvol --outdated --format= --files --verbose --user --local --not-required --uptodate --path= --exclude=
uv pip list|show|freeze|check|tree --outdated --format= --python=
uv tree|version --depth= --outdated
poetry show|version|check|about|env -tlo --tree --latest --outdated --top-level --no-dev --only= max=0
conda list|info|search -aenp --json --envs --name= --export
conda env list
gem list|info|search|environment|dependency|outdated|which|contents|specification -adlr --local --remote --all --details --versions
composer show|info|outdated|licenses|validate|status|search|depends|why -aiDlot --all --installed --direct --latest --outdated --tree --format= --no-check-all
dotnet --info --list-sdks --list-runtimes
brew list|info|search|deps|outdated|leaves|uses|config|doctor|desc|home-list|cat|log -1v --versions --cask --formula --json= --installed --tree --all --formulae --casks
apt|apt-cache|apt-get list|show|search|policy|depends|rdepends|madison|showpkg|stats -ain --installed --upgradable --all-versions --names-only --full
dpkg|dpkg-query -lLsSpW: --list --listfiles --status --search --print-avail --get-selections --show --showformat= --print-architecture needs=l|L|s|S|p|W|--list|--listfiles|--status|--search|--get-selections|--show|--print-architecture
rpm -qailRfVc --query --all --info --list --requires --whatprovides --queryformat= --file needs=q|--query
yum|dnf list|info|search|provides|repolist|check-update|history|repoquery|deplist|group -qCv --installed --available --enabled --showduplicates max=0
pacman -Qilsqkoeudmtn --query needs=Q|--query
snap|flatpak list|info|find|version|search|remotes|history --all --columns= --app
systemctl status|list-units|list-unit-files|list-timers|list-sockets|list-dependencies|is-active|is-enabled|is-failed|show|cat|get-default|show-environment|is-system-running|help -aln:o:p:qrt:uH: --all --full --no-pager --lines= --output= --property= --type= --state= --failed --user --system --no-legend --plain --value --recursive --reverse --quiet
service --status-all needs=--status-all
journalctl -aefkn:o:p:qrS:t:u:U:xb:g:m -# --boot= --follow --lines= --no-pager --output= --priority= --since= --until= --unit= --user-unit= --grep= --reverse --dmesg --identifier= --user --system --catalog --no-hostname --utc --disk-usage --list-boots --fields --field=
dmesg -deHkl:LrTtuwx --color= --ctime --human --kernel --level= --facility= --follow --reltime --notime --nopager
launchctl list|print|print-disabled|blame|managername|help
crontab -l needs=l
atq
at -l needs=l
zpool status|list|get|history|iostat|events -HLPpTvxo: -T:
zfs list|get|holds|userspace|groupspace -Hprt:o:s:S:d:
lvs|vgs|pvs|lvdisplay|vgdisplay|pvdisplay|lvscan|vgscan|pvscan -acoOPvS: --all --units= --noheadings --options= --columns
mdadm -DEQs --detail --examine --query --scan needs=D|E|Q|--detail|--examine|--query
btrfs filesystem|subvolume|device|scrub show|df|usage|list|stats|status|du -abcghHikmoprstTu
smartctl -aAHiclx --all --info --health --attributes --scan
fdisk|parted|sgdisk -lp --list --print needs=l|p|--list|--print
diskutil list|info|apfs-list -plist
iptables|ip6tables -LnSvxt: --list --list-rules --numeric --verbose --line-numbers --table= needs=L|S|--list|--list-rules
ufw status max=2
nft list
firewall-cmd --list-all --state --get-zones --get-active-zones --list-services --list-ports --zone=
ip -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p
ip a|addr|address|l|link|r|route|n|neigh|neighbour|rule|maddr|netns|tunnel -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p max=0
ip a|addr|address|l|link|r|route|n|neigh|neighbour|rule|netns s|show|list|ls|get -word -4 -6 -br -brief -c -color -j -json -s -stats -d -details -o -oneline -h -r -p
ifconfig -aLms max=1
iwconfig|ethtool|networkctl -a max=1
tmutil listbackups|status|latestbackup|listlocalsnapshots|destinationinfo
defaults read|read-type|domains|find
gh -R: --repo=
gh pr|issue|repo|release|run|workflow|gist|label|cache|project|ruleset|variable|extension|search|org list|view|status|diff|checks|ls|check -acdjL:lq:R:s:S:t:A:B:H:w:u:b:e:f:o: --json= --jq= --limit= --state= --author= --assignee= --label= --search= --repo= --template= --comments --log --log-failed --job= --web-off --base= --head= --branch= --workflow= --user= --status= --event= --watch --required --name-only --patch --color= --exit-status --verbose --owner= --visibility= --language= --topic= --archived --source --fork --attempt=
gh search repos|issues|prs|code|commits -L: --limit= --json= --jq= --owner= --repo= --state= --language= --author= --label= --sort= --order=
gh auth status -h: --hostname= --active
gh status -eo --exclude= --org=
gh api -iHq:t: --jq= --template= --paginate --include --slurp --cache= --hostname=
glab mr|issue|repo|ci|pipeline|release|project list|view|status|diff|show -aF:P:p: --all --output= --per-page= --page= --state=
aws --profile= --region= --output= --query= --no-cli-pager --no-paginate --endpoint-url=
aws s3 ls --recursive --human-readable --summarize --profile= --region= --page-size=
aws sts get-caller-identity --profile= --region= --output= --query=
aws configure list|list-profiles --profile=
gcloud --project= --format= --account= --quiet
gcloud config|auth|projects|services|info list|get-value|get|describe --format= --filter= --project= --limit= --all --enabled --available
gcloud config configurations list|describe --format=
gcloud compute|container|run|functions|sql|storage|iam|logging|pubsub|dns|app|builds|artifacts|kms|dataproc|bigquery|redis|spanner * list|describe|get-iam-policy|read|get-value|log --format= --filter= --project= --zone= --region= --limit= --uri --sort-by= --location=
az account|group|vm|webapp|aks|storage|network|sql|functionapp|acr|resource|ad|role|monitor list|show|list-locations -g:n:o: --output= --query= --resource-group= --name= --subscription=
heroku apps|ps|releases|status|logs|info|addons|domains -a:n: --app= --num= --json max=0
fly|flyctl status|logs|info|version|platform|regions|checks|doctor -a: --app= --json max=0
vercel|vc ls|list|whoami|inspect -S: --scope=
vault status -word -format= -address=
consul|nomad members|status|info|version -word -address= -detailed -format=
redis-cli -h:p:n:
redis-cli ping|info|dbsize|time|lastsave -h:p:n:
psql -lw --list --no-password -h:p:U: --host= --port= --username= needs=l|--list
pg_isready -h:p:U:d:qt: --host= --port=
openssl version|list|ciphers -a
openssl x509|req|crl|verify|asn1parse -word -in= -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial -purpose -sha256 -inform= -CAfile= -modulus -email -nameopt= -ext= -checkend=
ssh-add -lL needs=l|L
ssh-keygen -lvE:f: max=0 needs=l
gpg|gpg2 -kK --list-keys --list-secret-keys --list-public-keys --fingerprint --keyid-format= --list-sigs --list-packets --verify --with-colons --check-sigs needs=k|K|--list-keys|--list-secret-keys|--list-public-keys|--fingerprint|--list-sigs|--verify|--check-sigs|--list-packets
tar|gtar|bsdtar -tf:vzjJa --list --file= --verbose --gzip --exclude= needs=t|--list
unzip|zipinfo -lvZ1tqz needs=l|v|Z|t|1
zcat|gzcat|bzcat|xzcat|zstdcat|zless|zmore|lz4cat
gzip|xz|zstd|bzip2 -ltv --list --test needs=l|t|--list|--test
shellcheck|hadolint|yamllint|actionlint|tflint -f:c:s:x --format= --ext= --config= --quiet --max-warnings= --color= --severity= --shell= --no-color
black|isort|ruff|rustfmt|gofmt -cl --check --list-different --diff --config= --line-length= needs=c|l|--check|--list-different|--diff
tsc -p: --noEmit --project= --pretty --listFiles --showConfig needs=--noEmit|--showConfig
tmux ls|list-sessions|list-windows|list-panes|show-options|display-message|info -aF:t:p
screen -word -ls -list max=0
lsb_release -acdirs --all --short
xcode-select|xcrun -pf: --print-path --version --find= --show-sdk-path needs=p|f|--print-path|--version|--find|--show-sdk-path
code|cursor --list-extensions --version --status -v
kind|minikube|k3d|multipass|lxc|incus status|version|list|ls|ip|info -p: --profile= --format= --all
kind get clusters|nodes
virsh list|dominfo|domstate|pool-list|net-list|vol-list|version|nodeinfo --all --name
`
