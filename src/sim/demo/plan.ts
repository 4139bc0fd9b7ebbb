/**
 * Makes a plan by rules while plan mode is on: what would be done, from what can be read, and what cannot be known
 * before.
 */

import {
  act,
  finish,
  known,
  missing,
  outcomeOf,
  stopAt,
  toMove,
  type DemoCall,
  type Move,
  type DemoStep,
} from "./move.ts"
import { findTestCommand, listFiles } from "./project.ts"
import { wantedRenaming } from "./rename.ts"
import type { Story } from "./story.ts"

/** Undefined when the task changes nothing and so needs no plan. */
export function makePlan(story: Story, file: NonNullable<Story["planFile"]>): Move | undefined {
  const drafting = draft(story)
  if (drafting === undefined) return undefined
  const presented = story.done.findLast(({ tool }) => tool === "ExitPlanMode")
  if (presented?.failed)
    return finish(
      `The plan was not approved. The answer was:\n\n> ${presented.result.trim().split("\n", 1)[0]}\n\n` +
        `I plan by fixed rules and cannot make another one. This one lies at ${file.path}.`,
    )
  if (drafting.kind === "move") return drafting.move
  if (!story.offers("Write")) return missing("Write", "write a plan")
  const reading: DemoCall = { tool: "Read", input: { file_path: file.path } }
  if (file.exists && outcomeOf(story, reading) === undefined) return act("There is a plan from before.", reading)
  const writing: DemoCall = { tool: "Write", input: { file_path: file.path, content: drafting.value } }
  const written = outcomeOf(story, writing)
  if (written === undefined) return act("I write down what I would do.", writing)
  if (written.failed) return stopAt(written)
  if (!story.offers("ExitPlanMode")) return missing("ExitPlanMode", "have the plan approved")
  return act("The plan is written; it is for you to decide.", { tool: "ExitPlanMode", input: {} })
}

/** The plan, or the move that finds out what it needs. */
function draft(story: Story): DemoStep<string> | undefined {
  const { task } = story
  const renaming = wantedRenaming(task)
  if (renaming) return draftRenaming(story, renaming.from, renaming.to)
  const fixes = /\b(fix|repair|mend|debug)\b|\bmake\b.*\bpass\b|\bfailing\b/i.test(task)
  const runs = /\b(run|execute)\b.*\btests?\b|^\s*tests?\s*[.!]?$/i.test(task)
  return fixes || runs ? draftTests(story, fixes) : undefined
}

function draftRenaming(story: Story, from: string, to: string): DemoStep<string> {
  if (!story.offers("Grep")) return toMove(missing("Grep", "look for the name"))
  const search: DemoCall = {
    tool: "Grep",
    input: { pattern: `\\b${from.replaceAll("$", "\\$")}\\b`, output_mode: "files_with_matches" },
  }
  const searched = outcomeOf(story, search)
  if (searched === undefined) return toMove(act(`Looking for every file that names \`${from}\`.`, search))
  if (searched.failed) return toMove(stopAt(searched))
  const paths = searched.result.split("\n").filter((line) => /^\S+$/.test(line.trim()) && /[./]/.test(line))
  return known(
    `# Rename ${from} to ${to}\n\nBy whole words, in every file that names it; I have no idea of scopes.\n\n` +
      `## Files to modify\n\n${paths.map((path) => `- \`${path}\``).join("\n") || "None: no file names it."}\n\n` +
      `## Verification\n\n- look at the difference\n- run the project's tests\n`,
  )
}

function draftTests(story: Story, fixes: boolean): DemoStep<string> {
  const files = listFiles(story, "I will look around first.")
  if (files.kind === "move") return files
  const command = findTestCommand(story, files.value)
  if (command.kind === "move") return command
  const steps = fixes
    ? "1. Run the tests and read the first failure.\n2. Read the failing test and what it tests.\n3. Try one of the few small repairs I know; undo it if it does not help.\n4. Run the tests again.\n\nWhich file I would change is not known before the tests have run, and plan mode runs none."
    : "1. Run the tests.\n2. Say which passed and which failed. No file is changed."
  return known(
    `# ${fixes ? "Fix the failing test" : "Run the tests"}\n\nThe project has ${files.value.length} files.\n\n## Steps\n\n${steps}\n\n` +
      `## Commands\n\n- \`${command.value}\`\n\n## Verification\n\n- \`${command.value}\` ${fixes ? "passes" : "has run"}\n`,
  )
}
