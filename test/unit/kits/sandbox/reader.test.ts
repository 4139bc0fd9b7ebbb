/** The reader's policy asked for alone is the same as the one among all policies. */

import { expect, test } from "bun:test"
import { openStory, type PolicyStory } from "../../../kit/policy-story.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const files = { "home/.ssh/id": "k", "work/a/.env": "X=1", "work/b/.git/config": "", "home/.npmrc": "_authToken=1" }

const stories: readonly (readonly [string, PolicyStory])[] = [
  ["without rules", { files }],
  ["with a rule for one file", { files, rules: [["deny", "Read(./a/.env)"]] }],
  ["with a rule that needs a walk", { files, rules: [["deny", "Read(**/.env)"]] }],
  ["with settings", { files, settings: { filesystem: { denyRead: ["./b"], allowRead: ["~/.ssh"] } } }],
]

for (const [name, story] of stories)
  test(name, async () => {
    using folder = temporaryFolder()
    const alone = await openStory(folder, story).reader()
    expect(alone).toEqual((await openStory(folder, story).now()).reader)
    expect(alone.hidden.some(({ path }) => path === folder.join("work/a/.env"))).toBe(story.rules !== undefined)
  })
