/** What agents do all day: whole sessions, of many kinds of projects, one command per line. */
const opening = `pwd
ls -la
git status
git log --oneline -10
git branch --show-current`

const closing = `git diff --stat
git add -A
git commit -m "Fix the thing"
git push -u origin HEAD
git status --short`

const sessions: Readonly<Record<string, string>> = {
  node: `cat package.json
npm ci
npm test
npx vitest run src/a.test.ts
grep -rn "createUser" src
sed -n '1,80p' src/users.ts
npm run build
node -e "console.log(require('./package.json').version)"
npm run lint -- --fix
npx tsc --noEmit
npm ls react
rm -rf dist
find src -name '*.test.ts' | head -20
cat src/index.ts | wc -l
npm install zod@3
git diff src/users.ts
node dist/index.js --help
mkdir -p src/new && touch src/new/index.ts
NODE_ENV=test npm test -- --run
tail -50 npm-debug.log`,
  python: `python3 --version
python3 -m venv .venv
source .venv/bin/activate && pip install -r requirements.txt
pytest -q
pytest tests/test_api.py::test_login -x
python manage.py migrate
python -c "import sys; print(sys.path)"
grep -rn "def login" app/ | head
sed -i 's/old_name/new_name/g' app/models.py
black app && isort app
mypy app
pip freeze > requirements.txt
cat requirements.txt
find . -name '__pycache__' -type d -prune -exec rm -rf {} +
for f in tests/*.py; do echo "$f"; done
python scripts/seed.py --count 10
cat app/settings.py | grep DATABASE
ruff check . --fix
coverage run -m pytest && coverage report
ls -R app | head -50`,
  rust: `cargo build
cargo test
cargo clippy -- -D warnings
cargo fmt --check
rg "fn parse" src
cat Cargo.toml
cargo run -- --input data.txt
RUST_BACKTRACE=1 cargo test parser
cargo add serde --features derive
cargo tree | head -30
cargo build --release && ls -lh target/release
cat src/main.rs | head -60
find src -name '*.rs' -exec wc -l {} +
cargo doc --no-deps
git stash
cargo bench
git stash pop
time cargo check
grep -n "unsafe" -r src
cp config.example.toml config.toml`,
  go: `go build ./...
go test ./... -run TestParse -v
go vet ./...
gofmt -l .
go mod tidy
cat go.mod
grep -rn "func main" cmd
go run ./cmd/server &
curl -s localhost:8080/health
kill %1
go test -cover ./internal/...
golangci-lint run
sed -n '20,60p' internal/store/store.go
go list -m all | wc -l
ls internal
diff -u a.go b.go
go generate ./...
cat Makefile
make build
make test`,
  frontend: `pnpm install
pnpm dev --port 3001 > /tmp/dev.log 2>&1 &
sleep 3 && curl -sI http://localhost:3001 | head -1
pnpm test -- --watch=false
pnpm exec playwright test --reporter=line
cat src/App.tsx
rg -l "useEffect" src | xargs wc -l
npx prettier --write "src/**/*.tsx"
ls public/assets | wc -l
pnpm build
du -sh dist
cat .env.example
head -c 300 dist/index.html
node scripts/check-bundle.mjs
git checkout -b feature/new-header
git log -3 --format='%h %s'
pnpm add -D @types/node
mv src/Old.tsx src/New.tsx
grep -c "export" src/lib/index.ts
echo "done"`,
  docker: `docker ps
docker build -t app:dev .
docker compose up -d
docker compose logs --tail=50 api
docker exec app-api-1 ls /app
docker images | head
curl -fsS http://localhost:8080/ready || docker compose logs api
docker compose down
cat Dockerfile
cat docker-compose.yml
docker run --rm -v "$PWD":/work -w /work node:20 npm test
docker inspect app-api-1 --format '{{.State.Status}}'
docker stats --no-stream
hadolint Dockerfile
docker logs app-api-1 2>&1 | tail -20
ls -la docker
docker compose ps --format json | jq -r '.[].Name'
docker volume ls
docker network ls
docker compose restart api`,
  terraform: `terraform init
terraform fmt -recursive
terraform validate
terraform plan -out=plan.tfplan
terraform show plan.tfplan | head -80
cat main.tf
grep -rn "aws_s3_bucket" modules
tflint
ls modules
aws sts get-caller-identity
terraform output -json | jq .
terraform state list
cat variables.tf
sed -i.bak 's/t3.small/t3.medium/' main.tf
diff main.tf.bak main.tf
rm main.tf.bak
terraform graph | head
cat versions.tf
terraform providers
ls -a`,
  debugging: `ps aux | grep node
lsof -i :3000
tail -n 100 logs/app.log
grep -n "ERROR" logs/app.log | tail -5
curl -v http://localhost:3000/api/users 2>&1 | head -30
cat src/server.ts
git blame -L 10,30 src/server.ts
git bisect start
git bisect bad
git bisect good v1.2.0
npm test
git bisect reset
git show HEAD~2 --stat
node --inspect-brk=0 --check src/x.js
env | sort | head
df -h
free -m
uname -a
date
jq '.dependencies | keys' package.json`,
  monorepo: `ls packages
npm run build --workspaces
npm test -w packages/core
cat packages/core/package.json
for d in packages/*/; do (cd "$d" && npm run lint); done
npx turbo run test --filter=core
find packages -name package.json -not -path '*/node_modules/*'
npx changeset status
grep -rn '"version"' packages/*/package.json
git log --oneline main..HEAD
git rebase main
git diff main...HEAD --name-only
npm pack --dry-run -w packages/core
wc -l packages/*/src/index.ts
node scripts/graph.mjs > graph.dot
cat turbo.json
rm -rf packages/*/dist
npx lerna ls
head -20 CHANGELOG.md
git tag --list 'v1.*' | tail -3`,
  shell: `cat scripts/deploy.sh
shellcheck scripts/*.sh
bash -n scripts/deploy.sh
chmod +x scripts/deploy.sh
./scripts/test.sh
VERSION=$(git describe --tags --always); echo "$VERSION"
if [ -f VERSION ]; then cat VERSION; fi
while read -r line; do echo "$line"; done < list.txt
printf '%s\\n' a b c | sort -r
cat <<'END' > notes.md
# Notes
END
awk -F, '{print $2}' data.csv | sort | uniq -c | sort -rn | head
tr a-z A-Z < notes.md
ls *.md | xargs -n1 basename
export FOO=bar && echo "$FOO"
test -d build || mkdir build
cut -d: -f1 /etc/passwd | head -3
tee out.log < notes.md
find . -maxdepth 2 -name '*.sh' -print0 | xargs -0 ls -l
time ./scripts/test.sh
rm -f out.log notes.md`,
  java: `./gradlew build
./gradlew test --tests '*UserTest'
mvn -q package
java -version
cat build.gradle
grep -rn "@RestController" src/main/java | head
find src -name '*.java' | wc -l
./gradlew dependencies | head -40
sed -n '1,50p' src/main/java/App.java
java -jar build/libs/app.jar --help
mvn dependency:tree | head -30
ls build/reports
cat src/main/resources/application.yml
git diff HEAD~1 -- src/main
./gradlew spotlessApply
rm -rf build
jps
javac Hello.java && java Hello
unzip -l build/libs/app.jar | head
tail -20 build/test.log`,
  ruby: `bundle install
bundle exec rspec spec/models
bundle exec rubocop -A
bin/rails routes | grep users
bin/rails db:migrate
cat Gemfile
rails generate model Post title:string
ruby -v
grep -rn "has_many" app/models
bin/rails test
cat config/routes.rb
ls db/migrate | tail -3
bundle exec rake assets:precompile
sed -n '1,40p' app/models/user.rb
bundle outdated | head
git mv app/old.rb app/new.rb
ruby -e 'puts 1 + 1'
cat db/schema.rb | head -30
tail -f log/test.log &
kill %1`,
  php: `composer install
php artisan migrate --pretend
vendor/bin/phpunit --filter UserTest
php -l app/Models/User.php
cat composer.json
vendor/bin/phpstan analyse app
php artisan route:list
grep -rn "class User" app
php -v
npm run dev -- --once
cat routes/web.php
composer require guzzlehttp/guzzle
php artisan test
ls storage/logs
tail -30 storage/logs/laravel.log
vendor/bin/pint
git diff app
cat phpunit.xml
find app -name '*.php' -newer composer.lock
php artisan cache:clear`,
  c: `mkdir -p build && cd build && cmake ..
cmake --build build -j4
ctest --test-dir build --output-on-failure
gcc -Wall -o hello hello.c && ./hello
valgrind ./build/app
cat CMakeLists.txt
grep -n "malloc" src/*.c
clang-format -i src/*.c
make -j8
make clean
objdump -d build/app | head -40
nm build/app | grep main
gdb -batch -ex run -ex bt ./build/app
ls -l build
file build/app
strings build/app | head
sed -n '100,140p' src/parser.c
git diff src/parser.c
cppcheck src
size build/app`,
  data: `head -5 data/train.csv
python3 train.py --epochs 1
jupyter nbconvert --to script notebook.ipynb
wc -l data/*.csv
python3 - <<'PY'
import csv
print(sum(1 for _ in csv.reader(open('data/train.csv'))))
PY
ls -lh data
sort -t, -k2 data/train.csv | head
gzip -k data/train.csv
du -sh data
cat config.yaml
pip list | grep -i numpy
python3 evaluate.py | tee results.txt
diff results.txt results.old.txt
mv results.txt results.old.txt
nvidia-smi
git lfs ls-files
tar czf model.tgz model/
tar tzf model.tgz | head
sha256sum model.tgz`,
  review: `gh pr view 42
gh pr diff 42
gh pr checks 42
git fetch origin
git checkout feature/x
git log origin/main..HEAD --oneline
git diff origin/main...HEAD
npm test
gh issue list --limit 5
gh api repos/acme/app/pulls/42/comments
git show --stat HEAD
cat CONTRIBUTING.md
git merge-base origin/main HEAD
git cherry-pick abc1234
git range-diff main...HEAD
git reset --soft HEAD~1
git commit --amend --no-edit
git push --force-with-lease
gh run list --limit 3
gh run view 123 --log-failed | tail -50`,
  kubernetes: `kubectl get pods
kubectl logs deploy/api --tail=100
kubectl describe pod api-123
helm lint chart
helm template chart | head -50
kubectl config current-context
kubectl get svc -o wide
kubectl diff -f k8s/
cat k8s/deployment.yaml
kubectl top pods
yq '.spec.replicas' k8s/deployment.yaml
kubectl rollout status deploy/api
kubectl get events --sort-by=.lastTimestamp | tail
kustomize build overlays/dev | head
ls k8s
kubectl explain deployment.spec | head
kubeval k8s/*.yaml
kubectl port-forward svc/api 8080:80 &
curl -s localhost:8080/health
kill %1`,
  docs: `ls docs
cat docs/index.md
grep -rn "TODO" docs
npx markdownlint docs
mkdocs build
sed -i 's/Teh/The/' docs/index.md
git diff docs
wc -w docs/*.md
cat mkdocs.yml
vale docs
find docs -name '*.md' | sort
cp docs/template.md docs/new.md
head -20 README.md
npx cspell "docs/**/*.md"
ls -t docs | head -3
diff docs/a.md docs/b.md
python3 -m http.server 8000 --directory site &
curl -s localhost:8000 | head -5
kill %1
rm -rf site`,
  dotnet: `dotnet build
dotnet test --no-build
dotnet run --project src/App -- --help
cat App.sln
dotnet format
grep -rn "class .*Controller" src
dotnet add package Serilog
ls src
dotnet --info
cat src/App/App.csproj
dotnet ef migrations list
dotnet publish -c Release -o out
ls out
rm -rf out
sed -n '1,30p' src/App/Program.cs
git diff src
dotnet list package --outdated
dotnet clean
cat global.json
find . -name '*.csproj'`,
  elixir: `mix deps.get
mix test
mix format --check-formatted
mix compile --warnings-as-errors
cat mix.exs
iex --version
grep -rn "defmodule" lib | head
mix credo
mix ecto.migrate
mix phx.routes
cat config/dev.exs
ls priv/repo/migrations
mix dialyzer
sed -n '1,40p' lib/app.ex
git diff lib
mix hex.outdated
mix test test/app_test.exs:12
elixir -e 'IO.puts(1)'
cat lib/app/application.ex
tail -5 mix.lock`,
  releases: `git fetch --tags
git log v1.1.0..HEAD --oneline
npm version patch --no-git-tag-version
cat CHANGELOG.md | head -40
npm run build && npm test
npm pack
tar tf app-1.1.1.tgz
rm app-1.1.1.tgz
git checkout -b release-notes
git tag -a v1.1.1 -m "v1.1.1"
gh release list
git diff v1.1.0 -- package.json
grep -n version package.json
jq -r .version package.json
sed -i 's/1.1.0/1.1.1/' README.md
git show v1.1.0:package.json | head -3
ls -la dist
node -p "require('./package.json').name"
git remote -v
git describe --tags`,
}

export const ordinarySessions: [name: string, commands: string[]][] = Object.entries(sessions).map(([name, own]) => [
  name,
  [opening, own, closing].flatMap(commandsIn),
])

/** One command per line; a here-document goes on until its end. */
function commandsIn(text: string): string[] {
  const commands: string[] = []
  let until: string | undefined
  for (const line of text.split('\n')) {
    if (until === undefined) commands.push(line)
    else commands[commands.length - 1] += `\n${line}`
    if (line === until) until = undefined
    else until ??= /<<'(\w+)'/.exec(line)?.[1]
  }
  return commands
}
