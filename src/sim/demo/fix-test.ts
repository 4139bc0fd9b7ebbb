/** Fixes a failing test: looks around, runs the tests, reads what failed, tries a repair, runs them again. */

import { dirname, join } from "node:path/posix"
import { isSame, readAttempts, refusedEdit, toCall, undo, type Attempts, type AttemptedChange } from "./attempts.ts"
import { act, editFlag, finish, missing, stopAt, wasCarriedOut, type Move } from "./move.ts"
import { baseOf, findTestCommand, listFiles, readFiles, type SourceFile } from "./project.ts"
import { proposeRepairs, reasonFor, toEdit, type Repair } from "./repair.ts"
import type { Story } from "./story.ts"
import { countsIn, firstFailure, isTestFile, sourcesNamed, type Failure } from "./test-output.ts"
import { withTodos, type Todo } from "./todos.ts"

const todos: readonly Todo[] = [
  { content: "Find out how the tests are run", activeForm: "Finding out how the tests are run" },
  { content: "Run the tests and see what fails", activeForm: "Running the tests" },
  { content: "Fix the cause", activeForm: "Fixing the cause" },
  { content: "Run the tests again", activeForm: "Running the tests again" },
]
const mostTries = 4
const mostSources = 4

export function fixTest(story: Story): Move {
  const at = (stage: number, move: Move): Move =>
    move.calls.length === 0 ? move : withTodos(story, todos, stage, move)
  const files = listFiles(story, "I will look around first.")
  if (files.kind === "move") return at(0, files.move)
  const command = findTestCommand(story, files.value)
  if (command.kind === "move") return at(0, command.move)
  const refused = refusedEdit(story)
  if (refused) return stopAt(refused)

  const attempts = readAttempts(story, command.value)
  const { lastRun, untested, kept } = attempts
  const run = (say: string): Move =>
    story.offers("Bash")
      ? act(say, { tool: "Bash", input: { command: command.value, description: "Run the tests" } })
      : missing("Bash", "run the tests")
  if (lastRun === undefined) return at(1, run(`The tests are run with \`${command.value}\`. Let's see what fails.`))
  if (!wasCarriedOut(lastRun)) return stopAt(lastRun, ` ${editFlag}`)
  if (untested) return at(3, run("Now the tests again, to see whether that was it."))
  if (!/^\s*Exit code [1-9]/.test(lastRun.result) && !lastRun.failed)
    return kept.length === 0
      ? finish(`All tests pass already (\`${command.value}\`), so there is nothing to fix.`)
      : conclude(story, attempts)
  return at(2, repairNext(story, files.value, attempts))
}

function repairNext(story: Story, files: readonly string[], attempts: Attempts): Move {
  const output = attempts.baseline?.result ?? ""
  const failure = firstFailure(output)
  if (failure === undefined)
    return giveUp("The tests fail, but I cannot tell from the output which one and where.", attempts)
  const testPath = files.find((path) => isSameFile(path, failure.file))
  if (testPath === undefined)
    return giveUp(`\`${failure.name}\` fails in ${failure.file}, which I cannot find here.`, attempts)
  const why = `\`${failure.name}\` fails${wanted(failure)}`
  // What was read before a kept change is out of date.
  const fresh = { ...story, done: story.done.slice(attempts.since) }
  const paths = [testPath, ...likelySources(files, testPath, output)]
  const near = readFiles(fresh, paths, `${why}. I will read the test and what it tests.`)
  if (near.kind === "move") return near.move
  const [test, ...sources] = near.value
  const exhausted = `${why}, and none of the few slips I know explains it.`
  if (test === undefined || attempts.tried.length >= mostTries) return giveUp(exhausted, attempts)
  const repair = untriedRepair(sources, { test, failure, attempts })
  if (repair) return applyRepair(repair, attempts)
  const imported = readFiles(
    fresh,
    importsOf(test, files),
    "Nothing there that I can fix; the test uses more than that.",
  )
  if (imported.kind === "move") return imported.move
  const further = untriedRepair(imported.value, { test, failure, attempts })
  return further ? applyRepair(further, attempts) : giveUp(exhausted, attempts)
}

interface UntriedRepair {
  readonly repair: Repair
  readonly change: AttemptedChange
}

function untriedRepair(
  sources: readonly SourceFile[],
  { test, failure, attempts }: { readonly test: SourceFile; readonly failure: Failure; readonly attempts: Attempts },
): UntriedRepair | undefined {
  for (const repair of proposeRepairs(sources, test, failure)) {
    const source = sources.find(({ path }) => path === repair.path)
    const change = source && toEdit(repair, source)
    if (change && !attempts.tried.some((earlier) => isSame(earlier, change))) return { repair, change }
  }
  return undefined
}

function applyRepair({ repair, change }: UntriedRepair, { toUndo, tried }: Attempts): Move {
  const back = toUndo ? "That was not it, so I take it back. " : ""
  const guess = tried.length > 0 ? "My next guess" : "My guess"
  const say = `${back}${guess}: in \`${baseOf(repair.path)}\`, line ${repair.line}, ${repair.because}.`
  return act(say, ...(toUndo ? [toCall(undo(toUndo))] : []), toCall(change))
}

/** A change that did not help is undone before giving up. */
function giveUp(why: string, { toUndo }: Attempts): Move {
  if (toUndo) return act("That was not it either, so I take it back.", toCall(undo(toUndo)))
  return finish(`${why} I leave the code as it is.`)
}

function conclude(story: Story, { kept, lastRun }: Attempts): Move {
  const ticked = withTodos(story, todos, todos.length, act("The tests pass."))
  if (ticked.calls.length > 0) return ticked
  const failure = firstFailure(story.done.find(({ tool }) => tool === "Bash")?.result ?? "")
  const head = failure ? `Fixed. \`${failure.name}\` failed${wanted(failure)}.` : "Fixed."
  const counts = countsIn(lastRun?.result ?? "")
  const all = counts ? `All ${counts.passed} tests pass now.` : "The tests pass now."
  return finish([head, ...kept.map(describeChange), all].join("\n\n"))
}

function describeChange({ path, old, new: next }: AttemptedChange): string {
  const because = reasonFor(lastLine(old), lastLine(next)) ?? "this was wrong"
  return `In \`${path}\` ${because}, so I changed it:\n\n\`\`\`diff\n${asDiff(old, next)}\n\`\`\``
}

const lastLine = (text: string): string => text.slice(text.lastIndexOf("\n") + 1)

function asDiff(old: string, next: string): string {
  const before = old.split("\n")
  const after = next.split("\n")
  return before
    .flatMap((line, at) => (line === after[at] ? [`  ${line}`] : [`- ${line}`, `+ ${after[at] ?? ""}`]))
    .join("\n")
}

const wanted = ({ expected, actual }: Failure): string =>
  expected === undefined || actual === undefined ? "" : `: it wanted ${expected} and got ${actual}`

/** Files in the error's stack, then those named like the test. */
function likelySources(files: readonly string[], testPath: string, output: string): readonly string[] {
  const named = sourcesNamed(output)
  const stem = stemOf(testPath)
  const through = files.filter((path) => named.some((file) => isSameFile(path, file)))
  const namesakes = files.filter((path) => !isTestFile(path) && stemOf(path) === stem && isCode(path))
  return [...new Set([...through, ...namesakes])].slice(0, mostSources)
}

function importsOf({ path, lines }: SourceFile, files: readonly string[]): readonly string[] {
  const specifiers = [...lines.join("\n").matchAll(/(?:from|import|require\()\s*["'](\.[^"']+)["']/g)].map(
    ([, found = ""]) => found,
  )
  const targets = specifiers.map((specifier) => join(dirname(path), specifier))
  return files
    .filter((file) => targets.some((target) => file === target || file.startsWith(`${target}.`)))
    .slice(0, mostSources)
}

const isCode = (path: string): boolean => /\.([cm]?[jt]sx?|py|go|rs|rb)$/.test(path)
const stemOf = (path: string): string =>
  baseOf(path)
    .replace(/^test_/, "")
    .replace(/([._-](test|spec))?\.\w+$/, "")
const isSameFile = (path: string, file: string): boolean =>
  path === file || file.endsWith(`/${path.replace(/^\.\//, "")}`) || path.endsWith(`/${file}`)
