/** A team as a person sees it, in a window of 80 columns and then of 160: the rows above the prompt, and /teams. */

import { spawnSync } from "node:child_process"
import { expect, test } from "bun:test"
import { hasTmux, openTmux } from "../../kit/open-tmux.ts"
import { openPlace, program } from "../../kit/run-codewright.ts"
import { storyFiles, storyPrompt, storyRepository, teamStory } from "../../kit/team/story.ts"

test.skipIf(!hasTmux)("a team works, one of it fails, and /teams shows who did what", async () => {
  using place = openPlace(storyFiles)
  for (const line of storyRepository) expect(spawnSync("git", line.split(" "), { cwd: place.work }).status).toBe(0)
  await using run = await openTmux({
    place,
    command: [program, storyPrompt, "--allowedTools", "Bash,MergeBranch"],
    scenario: teamStory(),
  })
  await run.resize(80, 34)
  await run.shows("/teams to open")
  await run.shows("The branches are merged, and the tests pass.")
  for (const columns of [80, 160]) {
    await run.resize(columns, 34)
    await run.enter("/teams")
    await run.shows("▌ Tasks · 3 of 3 done")
    const shown = await run.asks("▌ login · you are the lead")
    expect(shown).toMatch(/▌ {3}client +left/)
    expect(shown).toMatch(/▌ {3}(└ )?☑ #2 Call the login route from the client +(api|tests)/)
    for (const row of shown.split("\n")) expect(Bun.stringWidth(row.trimEnd())).toBeLessThanOrEqual(columns)
    await run.press("Escape")
    await run.hides("▌ login · you are the lead")
  }
})
