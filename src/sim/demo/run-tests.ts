/** Runs the tests and reports the result. */

import { finish, type Move } from "./move.ts"
import { findTestCommand, listFiles, runOnce } from "./project.ts"
import type { Story } from "./story.ts"
import { countsIn, firstFailure } from "./test-output.ts"

export function runTests(story: Story): Move {
  const files = listFiles(story, "I will look for how the tests are run.")
  if (files.kind === "move") return files.move
  const command = findTestCommand(story, files.value)
  if (command.kind === "move") return command.move
  const run = runOnce(story, command.value, `Running \`${command.value}\`.`)
  if (run.kind === "move") return run.move
  const { result, failed } = run.value
  const counts = countsIn(result)
  const sums = counts ? `${counts.passed} passed, ${counts.failed} failed` : "the output names no sums"
  if (!failed && !/^\s*Exit code [1-9]/.test(result)) return finish(`The tests pass (\`${command.value}\`: ${sums}).`)
  const failure = firstFailure(result)
  const first = failure ? ` The first is \`${failure.name}\` in ${failure.file}, line ${failure.line}.` : ""
  return finish(
    `The tests fail (\`${command.value}\`: ${sums}).${first} Ask me to fix the failing test and I will try.`,
  )
}
