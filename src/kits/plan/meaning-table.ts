/** Kinds of commands that a plan may ask for: the words for each, and the commands they mean. */

export interface MeaningRow {
  readonly name: string
  readonly covers: string
  readonly keys: string
  readonly words: string
  /** Exact commands, one per line. */
  readonly exact: readonly string[]
  /** Commands that may have further arguments, none of which could make them do something else. */
  readonly open: readonly string[]
}

/** A function, so that the table is not built before a plan asks. */
export const meaningTable = (): readonly MeaningRow[] => [
  testing(),
  installing(),
  building(),
  linting(),
  formatting(),
  typeChecking(),
  serving(),
  lookingAtGit(),
]

const testing = (): MeaningRow => ({
  name: "run tests",
  covers:
    "the project's tests: npm, pnpm, yarn and bun test, vitest, jest, pytest, go, cargo, mvn, gradle, make test and the like",
  keys: "test tests testing unittest unittests spec specs vitest jest mocha ava pytest tox rspec phpunit ctest",
  words:
    "run running execute rerun unit integration e2e end suite suites case cases npm npx pnpm yarn bun node deno python go cargo mvn maven gradle gradlew make rails bundle exec dotnet mix swift playwright runner existing automated regression acceptance",
  exact: [
    "go test",
    "go test ./...",
    "go test -v ./...",
    "go test -race ./...",
    "go test -cover ./...",
    "go test -count=1 ./...",
    "mvn test",
    "mvn -q test",
    "./mvnw test",
    "gradle test",
    "./gradlew test",
    "gradle check",
    "./gradlew check",
    "make test",
    "make tests",
    "make check",
    "tox",
    "ctest",
    "deno test",
    "mix test",
    "swift test",
    // After a launcher only the exact command is certain.
    ...launched(["vitest", "vitest run", "jest", "jest --coverage", "mocha", "ava", "playwright test"]),
  ],
  open: [
    "npm test",
    "npm t",
    "pnpm test",
    "pnpm t",
    "yarn test",
    "bun test",
    "node --test",
    ...scripts("test", "test:unit", "test:integration", "test:e2e", "test:ci", "test:coverage", "tests"),
    "vitest",
    "jest",
    "mocha",
    "ava",
    "playwright test",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "uv run pytest",
    "poetry run pytest",
    "cargo test",
    "cargo nextest run",
    "rspec",
    "bundle exec rspec",
    "phpunit",
    "./vendor/bin/phpunit",
    "vendor/bin/phpunit",
    "composer test",
    "dotnet test",
    "rails test",
    "bin/rails test",
  ],
})

const installing = (): MeaningRow => ({
  name: "install dependencies",
  covers:
    "installing what the project already declares: npm install and ci, pnpm, yarn and bun install, pip install -r, uv sync, cargo fetch and the like; no new packages",
  keys: "install installs installing dependencies dependency deps packages requirements",
  words:
    "run npm pnpm yarn bun pip pip3 uv poetry cargo go bundle bundler composer ci sync fetch download project's node modules restore declared locked missing mod clean npx",
  exact: [
    "npm install",
    "npm i",
    "npm ci",
    "pnpm install",
    "pnpm i",
    "pnpm install --frozen-lockfile",
    "yarn",
    "yarn install",
    "yarn install --frozen-lockfile",
    "yarn install --immutable",
    "bun install",
    "bun i",
    "bun install --frozen-lockfile",
    "pip install -r requirements.txt",
    "pip3 install -r requirements.txt",
    "python -m pip install -r requirements.txt",
    "python3 -m pip install -r requirements.txt",
    "pip install -e .",
    "uv sync",
    "poetry install",
    "cargo fetch",
    "go mod download",
    "bundle install",
    "composer install",
    "dotnet restore",
    "mix deps.get",
  ],
  open: [],
})

const building = (): MeaningRow => ({
  name: "build",
  covers: "building the project: its build script, cargo, go, mvn, gradle, dotnet and make build",
  keys: "build builds building compile compiles compiling rebuild bundle",
  words:
    "run npm pnpm yarn bun cargo go mvn maven gradle make dotnet vite next webpack production code app application source",
  exact: [
    "go build",
    "go build ./...",
    "cargo build",
    "cargo build --release",
    "make",
    "make build",
    "make all",
    "mvn compile",
    "mvn package",
    "./mvnw compile",
    "./mvnw package",
    "gradle build",
    "gradle assemble",
    "./gradlew build",
    "./gradlew assemble",
    "dotnet build",
    "cmake --build build",
    ...programs(["vite build", "next build", "webpack", "rollup -c", "tsc", "tsc -b", "tsc --build"]),
    ...scripts("build", "build:prod", "compile"),
  ],
  open: [],
})

const linting = (): MeaningRow => ({
  name: "lint",
  covers:
    "linting without fixing: the lint script, eslint, oxlint, biome lint, ruff check, flake8, clippy, golangci-lint, rubocop",
  keys: "lint lints linting linter linters eslint oxlint ruff flake8 pylint clippy golangci rubocop shellcheck",
  words: "run npm npx pnpm yarn bun cargo checks check style code static analysis errors warnings biome make",
  exact: [
    ...scripts("lint", "lint:check", "eslint"),
    ...programs(["eslint", "eslint .", "eslint src", "oxlint", "oxlint .", "biome lint", "biome lint ."]),
    "ruff check",
    "ruff check .",
    "flake8",
    "flake8 .",
    "cargo clippy",
    "cargo clippy --all-targets",
    "golangci-lint run",
    "golangci-lint run ./...",
    "rubocop",
    "bundle exec rubocop",
    "make lint",
    "./gradlew lint",
  ],
  open: [],
})

const formatting = (): MeaningRow => ({
  name: "format",
  covers:
    "formatting the project: the format script, prettier --write ., biome format, cargo fmt, gofmt, ruff format, black",
  keys: "format formats formatting formatter prettier gofmt rustfmt black fmt",
  words: "run npm npx pnpm yarn bun cargo go ruff code source files apply biome make dotnet automatically",
  exact: [
    ...scripts("format", "fmt", "format:write", "prettier"),
    ...programs(["prettier --write .", "prettier -w .", "biome format --write", "biome format --write ."]),
    "cargo fmt",
    "cargo fmt --all",
    "go fmt ./...",
    "gofmt -w .",
    "ruff format",
    "ruff format .",
    "black .",
    "dotnet format",
    "make format",
    "make fmt",
  ],
  open: [],
})

const typeChecking = (): MeaningRow => ({
  name: "type-check",
  covers: "checking types: tsc --noEmit, the typecheck script, mypy, pyright, cargo check, go vet",
  keys: "typecheck typechecks typechecking type-check type-checks type-checking types typing tsc mypy pyright typescript",
  words:
    "run npm npx pnpm yarn bun check checks checking checker type noemit compiler errors verify cargo go vet python make",
  exact: [
    ...scripts("typecheck", "type-check", "types", "check-types", "check:types", "tsc"),
    ...programs(["tsc --noEmit", "tsc --noEmit -p .", "tsc -p . --noEmit", "vue-tsc --noEmit", "pyright", "pyright ."]),
    "mypy",
    "mypy .",
    "mypy src",
    "cargo check",
    "cargo check --all-targets",
    "go vet",
    "go vet ./...",
    "make typecheck",
  ],
  open: [],
})

const serving = (): MeaningRow => ({
  name: "start the development server",
  covers:
    "starting the development server: the dev and start scripts, vite, next dev, runserver, rails server, flask run",
  keys: "server dev serve",
  words:
    "start starts starting run running launch local locally development app application npm npx pnpm yarn bun vite next django flask rails web preview frontend backend",
  exact: [
    "npm start",
    "pnpm start",
    "yarn start",
    "bun start",
    ...scripts("dev", "start", "serve", "preview", "start:dev"),
    ...programs(["vite", "vite dev", "next dev", "astro dev", "nuxt dev"]),
    "python manage.py runserver",
    "python3 manage.py runserver",
    "flask run",
    "rails server",
    "rails s",
    "bin/rails server",
    "bin/dev",
  ],
  open: [],
})

const lookingAtGit = (): MeaningRow => ({
  name: "look at the git repository",
  covers: "looking at the repository: git status, git diff and git log",
  keys: "git",
  words:
    "status diff diffs log logs history changes run check look show view see inspect repository repo state working tree commits commit staged recent",
  exact: [
    "git status",
    "git status -s",
    "git status --short",
    "git diff",
    "git diff --stat",
    "git diff --cached",
    "git diff --staged",
    "git diff HEAD",
    "git log",
    "git log --oneline",
    "git log --stat",
  ],
  open: [],
})

const scriptRunners = ["npm run", "pnpm", "pnpm run", "yarn", "yarn run", "bun run"] as const

const scripts = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => scriptRunners.map((runner) => `${runner} ${name}`))

const launched = (commands: readonly string[]): readonly string[] =>
  commands.flatMap((command) => [`npx ${command}`, `pnpm exec ${command}`, `bunx ${command}`])

const programs = (commands: readonly string[]): readonly string[] => [...commands, ...launched(commands)]
