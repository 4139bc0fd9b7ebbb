/**
 * The demo: a helpful developer by rules. It only looks at the request, so it can join any conversation at any point.
 */

import type { PlannedBlock, Reply } from "#sim/reply.ts"
import { lastUserText, type SimRequest } from "#sim/request.ts"
import { searchTool } from "#sim/search.ts"
import { delegate, wantedDelegation } from "./delegate.ts"
import { commit, commandInTask } from "./commit.ts"
import { explain } from "./explain.ts"
import { findText, wantedText } from "./find-text.ts"
import { fixTest } from "./fix-test.ts"
import { aboutMe, act, type Move } from "./move.ts"
import { makePlan } from "./plan.ts"
import { rename, wantedRenaming } from "./rename.ts"
import { runTests } from "./run-tests.ts"
import { readStory, type Story } from "./story.ts"

export function play(request: SimRequest): Reply {
  if (searchTool(request.body)) return cannotSearch(lastUserText(request))
  const { say, calls } = decide(readStory(request))
  const thought: readonly PlannedBlock[] = request.thinks
    ? [{ type: "thinking", thinking: thoughtFor(calls.length) }]
    : []
  return {
    content: [
      ...thought,
      { type: "text", text: say },
      ...calls.map(({ tool, input }): PlannedBlock => ({ type: "tool_use", name: tool, input })),
    ],
  }
}

/** A request that offers the provider's search wants the web; there is none here, and nothing is made up. */
const cannotSearch = (query: string): Reply => ({
  content: [
    { type: "search", query, pages: [], error: "unavailable" },
    { type: "text", text: `I cannot search the web. ${aboutMe}` },
  ],
})

/** Most specific task first. */
function decide(story: Story): Move {
  const { task, planFile } = story
  if (story.isAnswered) return act("That is noted; by my rules there is nothing left to do.")
  const planning = planFile && makePlan(story, planFile)
  if (planning) return planning
  const delegation = wantedDelegation(task)
  if (delegation) return delegate(story, delegation)
  const command = commandInTask(task)
  if (command !== undefined) return command === "commit" ? commit(story) : introduce()
  const renaming = wantedRenaming(task)
  if (renaming) return rename(story, renaming)
  if (/\b(fix|repair|mend|debug)\b|\bmake\b.*\bpass\b|\bfailing\b/i.test(task)) return fixTest(story)
  if (/\b(run|execute)\b.*\btests?\b|^\s*tests?\s*[.!]?$/i.test(task)) return runTests(story)
  const text = wantedText(task)
  if (text !== undefined) return findText(story, text)
  if (
    /\b(explain|overview|describe|tour|structure|organi[sz]ed|summari[sz]e|what('s| is| does) (this|here))\b/i.test(
      task,
    )
  )
    return explain(story)
  return introduce()
}

function introduce(): Move {
  return act(
    `${aboutMe}\n\nUntil then, these are the things I know how to do, in any repository:\n\n` +
      "- `fix the failing test`: run the tests, read what failed, try a small repair, run them again\n" +
      "- `run the tests`\n" +
      "- `find <text>`: show where it stands\n" +
      "- `rename <name> to <name>`: by search and edit\n" +
      "- `/commit`: commit what has changed\n" +
      "- `explain this project`: by its tree and its README\n" +
      "- `have agents explain this project and find <text>`: each by an agent of its own, at once",
  )
}

const thoughtFor = (calls: number): string =>
  calls > 0 ? "By my rules, these calls come next." : "By my rules, there is nothing left to do but answer."
