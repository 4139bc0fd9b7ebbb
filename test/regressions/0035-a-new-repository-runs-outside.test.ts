/** A confined command made a repository, and the user's git ran what it named, outside: in a nested one, in a folder without the name, through a file or a link. */

import { describe, expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { byKind } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import { canConfine } from "../kit/escapes.ts"
import { actsUnconfined, confined, type Left, outside, type Project } from "../kit/left-behind.ts"
import { bash, calls, says, use } from "../kit/script.ts"

const monitor = `printf '[core]\\n\\tfsmonitor = "%s"\\n' "$RUN; false"`
const hook = `printf '#!/bin/sh\\n%s\\n' "$RUN"`
const inSub = ["sub"]

const nested: Left = {
  name: "a nested one",
  script: `git init -q sub; ${monitor} >> sub/.git/config`,
  visits: inSub,
}

const attacks: readonly Left[] = [
  nested,
  {
    name: "a nested one that is recorded in the index",
    script: `git init -q sub; git -C sub commit -q --allow-empty -m x; ${monitor} >> sub/.git/config; git -c core.fsmonitor=false add sub`,
  },
  { name: "by git config", script: `git init -q sub; git -C sub config core.fsmonitor "$RUN; false"`, visits: inSub },
  {
    name: "a hook",
    script: `git init -q sub; ${hook} > sub/.git/hooks/post-commit; chmod +x sub/.git/hooks/*`,
    visits: inSub,
  },
  {
    name: "a folder of hooks as a link",
    script: `git init -q sub; mkdir -p tools; ${hook} > tools/post-commit; chmod +x tools/*; rm -r sub/.git/hooks; ln -s ../../tools sub/.git/hooks`,
    visits: inSub,
  },
  {
    name: "hooks elsewhere",
    script: `git init -q sub; mkdir -p tools; ${hook} > tools/post-commit; chmod +x tools/*; git -C sub config core.hooksPath ../tools`,
    visits: inSub,
  },
  {
    name: "an included file",
    script: `git init -q sub; ${monitor} > extra; git -C sub config include.path ../../extra`,
    visits: inSub,
  },
  {
    name: "an included file on a condition",
    script: `git init -q sub; ${monitor} > extra; git -C sub config includeIf.onbranch:**.path ../../extra`,
    visits: inSub,
  },
  { name: "an alias", script: `git init -q sub; git -C sub config alias.used "!$RUN"; echo x > sub/f`, visits: [] },
  {
    name: "a filter",
    script: `git init -q sub; git -C sub config filter.x.clean "$RUN; cat"; echo '* filter=x' > sub/.gitattributes; echo y > sub/f`,
    visits: inSub,
  },
  {
    name: "a renamed folder",
    script: `git init -q other; ${monitor} >> other/.git/config; mkdir sub; mv other/.git sub/.git`,
    visits: inSub,
  },
  {
    name: "a copy of the project's own",
    script: `mkdir sub; cp -r .git sub/.git; ${monitor} >> sub/.git/config`,
    visits: inSub,
  },
  {
    name: "a file that names a folder",
    script: `git init -q --separate-git-dir=store sub; ${monitor} >> store/config`,
    visits: inSub,
  },
  {
    name: "a file that names a folder inside the project's own",
    script: `mkdir sub; cp -r .git /tmp/g; mv /tmp/g .git/hidden; ${monitor} >> .git/hidden/config; echo "gitdir: ../.git/hidden" > sub/.git`,
    visits: inSub,
  },
  {
    name: "a link",
    script: `git init -q other; mkdir sub; mv other/.git store; ln -s ../store sub/.git; ${monitor} >> store/config`,
    visits: inSub,
  },
  {
    name: "a folder without the name",
    script: `git init -q --bare sub; git config -f sub/config core.bare false; git config -f sub/config core.worktree .; ${monitor} >> sub/config`,
    visits: inSub,
  },
  {
    name: "a folder with the parts elsewhere",
    script: `mkdir sub; cp -r .git store; ${hook} > store/hooks/reference-transaction; chmod +x store/hooks/*; mv store/HEAD sub; echo ../store > sub/commondir`,
    visits: inSub,
  },
  {
    name: "a link to a folder inside the project's own",
    script: `git init -q --bare .git/objects/hidden; git config -f .git/objects/hidden/config core.bare false; git config -f .git/objects/hidden/config core.worktree .; ${monitor} >> .git/objects/hidden/config; ln -s .git first; ln -s first/objects/hidden sub`,
    visits: inSub,
  },
  {
    name: "another common folder",
    script: `git init -q sub; cp -r sub/.git store; ${monitor} >> store/config; rm store/HEAD; echo ../../store > sub/.git/commondir`,
    visits: inSub,
  },
  {
    name: "settings of a worktree",
    script: `git init -q sub; git -C sub config extensions.worktreeConfig true; ${monitor} > sub/.git/config.worktree`,
    visits: inSub,
  },
  {
    name: "settings of a linked worktree",
    before: "git config extensions.worktreeConfig true",
    script: `git worktree add -q side; ${monitor} > .git/worktrees/side/config.worktree`,
    visits: ["side"],
  },
  {
    name: "a worktree of a new one",
    script: `git init -q sub; git -C sub commit -q --allow-empty -m x; git -C sub worktree add -q ../side; git -C sub config core.fsmonitor "$RUN; false"`,
    visits: ["side"],
  },
  {
    name: "a submodule's folder",
    script: `git init -q sub; git -C sub commit -q --allow-empty -m x; git add sub; mkdir -p .git/modules; mv sub/.git .git/modules/sub; git config -f .git/modules/sub/config core.worktree ../../../sub; echo "gitdir: ../.git/modules/sub" > sub/.git; ${monitor} >> .git/modules/sub/config`,
  },
  {
    name: "deep down, below a repository",
    script: `git init -q a/b; git init -q a/b/c/d; ${monitor} >> a/b/c/d/.git/config`,
    visits: ["a/b/c/d"],
  },
  {
    name: "behind sixty others",
    script: `for i in $(seq 70); do mkdir -p n$i/.git; done; git init -q sub; ${monitor} >> sub/.git/config`,
    visits: inSub,
  },
  {
    name: "a configuration that is a link",
    script: `git init -q sub; cp sub/.git/config c; ${monitor} >> c; ln -sf ../../c sub/.git/config`,
    visits: inSub,
  },
  {
    name: "an old repository with files of the new folder",
    script: `mkdir -p sub/.hooks; ${hook} > sub/.hooks/post-commit; chmod +x sub/.hooks/*; echo "gitdir: ../.git" > sub/.git`,
    before: "git config core.hooksPath .hooks",
    visits: inSub,
  },
]

describe.skipIf(!canConfine)("what a confined command made", () => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))("%s", async (_name, attack) => {
    if (attack.visits?.length !== 0) expect(await actsUnconfined(attack)).toBe(true)
    await using t = await confined(attack)
    await t.session.prompt("go")
    expect(t.asked()).toBe(0)
    expect(t.results()[0]).toContain("was left by a command in the sandbox and renamed to")
    expect(await t.isMet()).toBe(false)
  })

  test("a link to the temporary files of commands", async () => {
    // The kernel names the folder as its file system does, which may be mounted among the temporary files.
    const above = statSync(tmpdir()).dev === statSync("/").dev ? "" : tmpdir()
    const script = `git init -q /tmp/hidden; ${monitor} >> /tmp/hidden/.git/config; ln -s "${above}$(grep ' /tmp ' /proc/self/mountinfo | cut -d' ' -f4 | tail -1)/hidden" sub`
    await using t = await confined({ name: "temporary", script, visits: inSub })
    await t.session.prompt("go")
    expect(await outside(t.project, "cd sub && git rev-parse --git-dir")).toBe(".git\n")
    expect(t.results()[0]).toContain("hidden/.git/config was left by a command in the sandbox and renamed to")
    expect(await t.isMet()).toBe(false)
  })

  test("the user is told what was renamed, why, and how to put it back", async () => {
    await using t = await confined(nested)
    await t.session.prompt("go")
    const note =
      "sub/.git/config was left by a command in the sandbox and renamed to config.set-aside, so that it does not act outside: it sets core.fsmonitor. To use it, check it and rename it back."
    expect(t.results()[0]).toContain(`[${note}]`)
    expect(t.session.results()[0]?.display).toMatchObject({ output: expect.stringContaining(`(${note})`) })
    expect(readFileSync(t.session.path("sub/.git/config.set-aside"), "utf8")).toContain("fsmonitor")
    expect(await outside(t.project, "git -C sub status --short; git -C sub log")).toContain("does not have any commits")
  })

  test("a hundred of them make a short note, on one line, whatever their names", async () => {
    const script = `for i in $(seq 100); do git init -q "s$i"$'\\n]x\\e[2J'; ${monitor} >> "s$i"$'\\n]x\\e[2J'/.git/config; done`
    await using t = await confined({ name: "many", script })
    await t.session.prompt("go")
    const [text = ""] = t.results()
    expect(text.match(/was left by/g)?.length).toBe(8)
    expect(text).toContain("92 more of these")
    expect(text).toContain("<U+000A>]x<U+001B>[2J/.git/config was left by")
    expect(await outside(t.project, "find . -name config.set-aside | grep -c set-aside")).toBe("100\n")
  }, 300_000)

  test("what the user put back stays, and is held from then on", async () => {
    const scripts = [nested.script, "true", `echo '# later' >> sub/.git/config`, "true"]
    const place: { project?: Project } = {}
    const restoring: Kit = {
      name: "restoring",
      onEntry: byKind({
        result: async () => {
          if (place.project)
            await outside(place.project, "cd sub/.git && [ -e config.set-aside ] && mv config.set-aside config")
        },
      }),
    }
    await using t = await confined(nested, scripts, { kits: [restoring] })
    place.project = t.project
    await t.session.prompt("go")
    const notes = t.results().filter((text) => text.includes("was left by"))
    expect(notes.length).toBe(1)
    expect(t.results()[2]).toContain("Read-only file system")
    expect(t.session.read("sub/.git/config")).toContain("fsmonitor")
    expect(t.session.read("sub/.git/config")).not.toContain("# later")
  })

  test("in a workspace that is too large to look through, what is recorded in the index is found, and the rest is named", async () => {
    const before = "mkdir -p d{1..4200}/k"
    const last = "cd $(ls -U | grep ^d | tail -1)/k"
    const script = `${last}; git init -q sub; git -C sub commit -q --allow-empty -m x; ${monitor} >> sub/.git/config; git -c core.fsmonitor=false add sub`
    const attack: Left = { name: "large", before, script }
    await using t = await confined(attack, ["sleep 3", "true", script, "true"])
    await t.session.prompt("go")
    expect(t.results().filter((text) => text.includes("has more than 4,000 folders")).length).toBe(1)
    expect(t.results()[2]).toContain("sub/.git/config was left by a command")
    expect(await t.isMet()).toBe(false)
  }, 300_000)

  test("while a command runs in the background, the next command and the end of the session come after a check", async () => {
    const script = `git init -q first; ${monitor} >> first/.git/config; touch made; while ! [ -e go ]; do sleep 0.05; done; git init -q sub; ${monitor} >> sub/.git/config; sleep 100`
    await using t = await confined(
      { name: "background", script, visits: ["first", "sub"] },
      [
        script,
        "while ! [ -e made ]; do sleep 0.05; done",
        "echo x > go; while ! [ -e sub/.git/hooks ]; do sleep 0.05; done; sleep 0.3",
      ],
      { script: background },
    )
    await t.session.prompt("go")
    expect(t.results().slice(1).join("\n")).toContain("first/.git/config was left by")
    expect(await t.isMet()).toBe(false)
    await t.session.session.close()
    expect(await t.isMet()).toBe(false)
  })
})

const background = {
  replies: [
    calls(use("Bash", { command: "bash work-0.sh", run_in_background: true })),
    calls(bash("bash work-1.sh")),
    calls(bash("bash work-2.sh")),
    says("Done."),
  ],
}

const twins: readonly { readonly name: string; readonly scripts: readonly string[] }[] = [
  {
    name: "a new repository, with commits, a remote, a branch and a tag",
    scripts: [
      "git init -q sub && cd sub && git config user.name N && git remote add origin https://example.com/x.git && echo x > x && git add . && git commit -qm x && git tag v1",
      "cd sub && git config user.email n@example.com && git switch -qc side && echo y > y && git add . && git commit -qm y && git log --oneline | wc -l",
      "git add sub && git status --short | grep sub",
    ],
  },
  {
    name: "a clone",
    scripts: [
      "git clone -q . copy && cd copy && git commit -q --allow-empty -m x",
      "git -C copy push -q origin HEAD:copied",
    ],
  },
  { name: "a bare one", scripts: ["git init -q --bare store.git", "git push -q ./store.git HEAD:main"] },
  {
    name: "a worktree of the project",
    scripts: [
      "git worktree add -q side -b side && cd side && echo x > x && git add . && git commit -qm x",
      "cd side && echo y > y && git add . && git commit -qm y && git status --short",
      "git worktree remove side && git worktree list | wc -l",
    ],
  },
  {
    name: "a folder of git's own, kept elsewhere",
    scripts: ["git init -q --separate-git-dir=store sub", "cd sub && git commit -q --allow-empty -m x"],
  },
  {
    name: "samples of hooks",
    scripts: ["git init -q sub; ls sub/.git/hooks | wc -l", "echo '#!/bin/sh' > sub/.git/hooks/pre-push"],
  },
  { name: "a repository that is removed again", scripts: ["git init -q sub", "rm -r sub/.git", "ls"] },
  {
    name: "what only looks a little like one",
    scripts: ["mkdir -p docs/objects src/refs; echo x > docs/config; echo x > src/HEAD; echo x > src/config"],
  },
]

describe.skipIf(!canConfine)("what stays as it is", () => {
  test.each(twins.map((twin) => [twin.name, twin] as const))("%s", async (name, { scripts }) => {
    await using t = await confined({ name, script: "" }, scripts)
    await t.session.prompt("go")
    expect([
      t.asked(),
      t.session
        .results()
        .filter(({ isError }) => isError)
        .map(({ content }) => content),
    ]).toEqual([0, []])
    expect(t.results().filter((text) => text.includes("was left by"))).toEqual([])
    const aside = await outside(t.project, "find . -name '*.set-aside*'")
    expect(aside).toBe("")
  })
})
