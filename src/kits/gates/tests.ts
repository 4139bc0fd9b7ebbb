/** What counts as a test and as a command that runs tests, unless settings say otherwise. */

import { meansPath } from "#lib/glob.ts"
import { lazily } from "#lib/lazily.ts"

/** A name without a slash means files and folders in every folder. */
const usualFiles = lazily((): readonly string[] => [
  ...["test", "tests", "__tests__", "spec", "specs", "testdata"].flatMap((name) => [
    name,
    `${name}/**`,
    `**/${name}/**`,
  ]),
  "*.{test,spec}.*",
  "*_{test,spec}.*",
  "test_*.*",
  "*{Test,Tests,Spec}.{java,kt,kts,scala,cs,swift,groovy,php}",
  "conftest.py",
])

const usualCommands = lazily((): readonly string[] => [
  ...["npm", "pnpm", "yarn", "bun"].flatMap((program) => [`${program} test`, `${program} run test`]),
  "npm run test:*",
  "npm t",
  ...["npx", "pnpm exec", "yarn", "bunx"].flatMap((runner) =>
    ["jest", "vitest", "mocha", "ava", "playwright test"].map((program) => `${runner} ${program}`),
  ),
  "jest",
  "vitest",
  "mocha",
  "ava",
  "playwright test",
  "node --test",
  "deno test",
  "pytest",
  "python -m pytest",
  "python3 -m pytest",
  "python -m unittest",
  "python3 -m unittest",
  "tox",
  "nox",
  "uv run pytest",
  "poetry run pytest",
  "go test",
  "gotestsum",
  "cargo test",
  "cargo nextest",
  "mvn test",
  "./mvnw test",
  "gradle test",
  "./gradlew test",
  "sbt test",
  "dotnet test",
  "swift test",
  "rspec",
  "bundle exec rspec",
  "rake test",
  "rails test",
  "phpunit",
  "vendor/bin/phpunit",
  "mix test",
  "make test",
  "make check",
  "ctest",
  "bats",
  "zig build test",
  "flutter test",
  "dart test",
])

export interface TestChoice {
  /** In place of the usual ones. */
  readonly files?: readonly string[]
  /** Besides the usual ones. */
  readonly commands?: readonly string[]
}

/** `relative`: below the workspace's folder. */
export const isTestFile = (relative: string, { files }: TestChoice): boolean =>
  meansPath(files ?? usualFiles(), relative)

export const testCommandTexts = ({ commands = [] }: TestChoice): readonly string[] => [...usualCommands(), ...commands]
