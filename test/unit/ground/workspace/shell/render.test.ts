import { expect, test } from "bun:test"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import { segmentLines } from "#ground/workspace/shell/render.ts"
import { place } from "./place.ts"

test("a compound command is shown in its parts, with what each needs", () => {
  expect(segmentLines(analyse("git status && npm test; git reset --hard && rm -rf ~", place))).toEqual([
    { text: "git status", note: "it only reads", weight: "free" },
    { text: "npm test", note: "its subcommand test is not known to only read", weight: "consent" },
    { text: "git reset --hard", note: "changes that were never committed are lost", weight: "danger" },
    { text: "rm -rf ~", note: "it would remove /home/dev with everything in it", weight: "danger" },
  ])
})

test("a part that runs many times is shown once", () => {
  expect(segmentLines(analyse('for f in a b c; do cat "$f"; done', place))).toEqual([
    { text: 'cat "$f"', note: "it only reads", weight: "free" },
  ])
})
