/** Removing folders while edits are accepted: what undo brings back is not asked about, everything else is. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import { bash, diskRealPath, tempTree } from "./judge.ts"

function decided(root: string, command: string, mode: PermissionMode = "acceptEdits"): string {
  return bash(command, { mode, workspace: { root, home: "/home/me" }, cwd: root, realPath: diskRealPath }).behavior
}

const tree = (): string => {
  const root = tempTree({
    "dist/a.js": "x",
    "dist/deep/b.js": "x",
    "coverage/lib/.git/HEAD": "x",
    "target/app/.env": "x",
    "src/a.ts": "x",
    "old.txt": "x",
  })
  symlinkSync("/etc", join(root, "out"))
  symlinkSync("dist", join(root, ".output"))
  symlinkSync("dist", join(root, "inner"))
  return root
}

test.each([
  "rm -rf dist",
  "rm -rf dist/",
  "rm -r ./dist/deep",
  "rm -rf dist build/js",
  "rm -rf dist .next/cache",
  "rm -f dist/*.js",
  "rm -rf dist/d*p",
  "mkdir -p dist && rm -rf dist/deep",
  "cd dist && rm -rf deep",
])("accepting edits covers %s", (command) => {
  const root = tree()
  expect(decided(root, command)).toBe("allow")
  expect(decided(root, command, "default")).toBe("ask")
  expect(decided(root, command, "dontAsk")).toBe("deny")
})

test.each([
  "rm -rf src",
  "rm -rf dist src",
  "rm -r build.ts",
  "rm src/*.ts",
  "rm -f *.js",
  "rm -rf .",
  "rm -rf *",
  "rm -rf ./*",
  "rm -f *",
  "rm -rf ..",
  "rm -rf dist/..",
  "rm -rf dist/../..",
  "rm -rf coverage",
  "rm -rf target",
  "rm -rf .git",
  "rm -rf out/",
  "rm -rf out/x",
  "rm -rf inner/deep",
  "rm -rf .output/deep",
  "rm -rf /etc/x",
  "rm -rf ~/x",
  'd=dist; rm -rf "$d"',
  "rm -rf $(echo dist)",
  'rm -rf "$OUT/dist"',
  "ls | xargs rm -rf",
  "find dist -name a.js | xargs rm -r",
  "sudo rm -rf dist",
  "bash -c 'rm -rf dist'",
  "ln -s / root && rm -rf root/etc",
  "cd / && rm -rf dist",
  "git clean -fd",
])("and not %s", (command) => {
  expect(decided(tree(), command)).not.toBe("allow")
})

test("a folder with more in it than undo is sure to keep is asked about", () => {
  const root = tree()
  mkdirSync(join(root, "build/many"), { recursive: true })
  for (let i = 0; i < 501; i++) writeFileSync(join(root, "build/many", String(i)), "")
  expect(decided(root, "rm -rf build")).toBe("ask")
})
