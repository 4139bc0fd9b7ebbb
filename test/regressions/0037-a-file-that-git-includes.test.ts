/** A confined command wrote a file that the repository's configuration includes or runs, and the user's git took it from there. */

import { describe, expect, test } from "bun:test"
import { canConfine } from "../kit/escapes.ts"
import { actsUnconfined, confined, type Left, outside } from "../kit/left-behind.ts"

const monitor = `printf '[core]\\n\\tfsmonitor = "%s"\\n' "$RUN; false"`
const program = `printf '#!/bin/sh\\n%s\\n' "$RUN"`

const attacks: readonly Left[] = [
  {
    name: "an included file",
    before: "echo > shared.gitconfig; git config include.path ../shared.gitconfig",
    script: `${monitor} > shared.gitconfig`,
  },
  {
    name: "an included file that does not exist yet",
    before: "git config include.path ../conf/shared.gitconfig",
    script: `mkdir -p conf; ${monitor} > conf/shared.gitconfig`,
  },
  {
    name: "one that was moved there",
    before: "echo > shared.gitconfig; git config include.path ../shared.gitconfig",
    script: `${monitor} > x; cp x y; mv x shared.gitconfig; rm -f shared.gitconfig; ln -s y shared.gitconfig`,
  },
  {
    name: "a file that an included file includes",
    before: "git config include.path ../a.gitconfig; git config -f a.gitconfig include.path b.gitconfig",
    script: `${monitor} > b.gitconfig`,
  },
  {
    name: "an included file on a condition",
    before: "git config includeIf.gitdir:/.path ../shared.gitconfig",
    script: `${monitor} > shared.gitconfig`,
  },
  {
    name: "a program",
    before:
      "mkdir tools; echo '#!/bin/sh' > tools/watch; chmod +x tools/watch; git config core.fsmonitor ./tools/watch",
    script: `${program} > tools/watch`,
  },
  {
    name: "a program that does not exist yet",
    before: "git config core.fsmonitor tools/watch",
    script: `mkdir -p tools; ${program} > tools/watch; chmod +x tools/watch`,
  },
  {
    name: "a script behind a program",
    before: "echo : > filter.sh; git config filter.x.clean 'sh filter.sh'; echo '*.txt filter=x' > .gitattributes",
    script: `${program} > filter.sh; echo y >> a.txt`,
  },
  {
    name: "a text converter",
    before:
      "mkdir tools; echo 'cat $1' > tools/conv; git config diff.x.textconv 'sh tools/conv'; echo '*.txt diff=x' > .gitattributes",
    script: `${program} > tools/conv; echo y >> a.txt`,
  },
  {
    name: "a folder of hooks",
    before: "git config core.hooksPath tools/hooks",
    script: `mkdir -p tools/hooks; ${program} > tools/hooks/post-commit; chmod +x tools/hooks/*`,
  },
  {
    name: "a folder of hooks that an included file names",
    before: "git config include.path ../a.gitconfig; git config -f a.gitconfig core.hooksPath tools/hooks",
    script: `mkdir -p tools/hooks; ${program} > tools/hooks/post-commit; chmod +x tools/hooks/*`,
  },
  {
    name: "for a nested repository",
    before: "git init -q sub; git -C sub config include.path ../../shared.gitconfig",
    script: `${monitor} > shared.gitconfig`,
    visits: ["sub"],
  },
]

const ownOnes: readonly Left[] = [
  {
    name: "a file that the user's own configuration includes",
    before: 'git config --global include.path "$PWD/shared.gitconfig"',
    script: `${monitor} > shared.gitconfig`,
  },
  {
    name: "a program that it names",
    before: 'mkdir tools; echo > tools/watch; git config --global core.fsmonitor "$PWD/tools/watch"',
    script: `${program} > tools/watch; chmod +x tools/watch`,
  },
  {
    name: "hooks in every repository",
    before: "git config --global core.hooksPath .hooks",
    script: `mkdir .hooks; ${program} > .hooks/post-commit; chmod +x .hooks/*`,
  },
]

describe.skipIf(!canConfine)("what git would take from the workspace is held", () => {
  test.each([...attacks, ...ownOnes].map((attack) => [attack.name, attack] as const))("%s", async (_name, attack) => {
    expect(await actsUnconfined(attack)).toBe(true)
    await using t = await confined(attack)
    await t.session.prompt("go")
    expect(t.asked()).toBe(0)
    expect(await t.isMet()).toBe(false)
  })

  test("other files can be written, and nothing stays of what held the place", async () => {
    const before =
      "git config include.path ../conf/shared.gitconfig; git config alias.lg 'log --oneline'; git config alias.x '!sed s/a/b/ a.txt'; git config core.editor vim; git config user.signingKey keys/me"
    const script =
      "mkdir -p src keys s/a; echo x > src/config; echo x > vim; echo x > keys/me; echo x > s/a/b; echo x > log"
    await using t = await confined({ name: "twins", before, script }, [script, "git lg", "sleep 1.5"])
    await t.session.prompt("go")
    expect([
      t.asked(),
      t.session
        .results()
        .filter(({ isError }) => isError)
        .map(({ content }) => content),
    ]).toEqual([0, []])
    await t.session.session.close()
    expect(await outside(t.project, "ls conf 2>&1")).toContain("No such file")
  })
})
