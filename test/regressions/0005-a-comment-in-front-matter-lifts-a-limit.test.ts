/** Comments and quotes in the head of an agent or a command were taken for part of its limits, which were then dropped. */

import { expect, test } from "bun:test"
import { decodeFile } from "#kits/subagents/decode.ts"
import { isOffered } from "#kits/subagents/offered.ts"

const offeredTo = (text: string): readonly string[] =>
  decodeFile({ source: "project", path: "/p/reader.md", text }).definitions.flatMap((definition) =>
    ["Read", "Bash", "Write", "WebFetch"].filter((name) => isOffered(definition, { name })),
  )

test("a reader whose limits carry comments stays a reader", () => {
  const text = `---
name: reader
description: Reads the code and answers questions about it.
permissionMode: plan # reads only
disallowedTools:
  - Bash # no shell
  - WebFetch
---
You read.`
  expect(decodeFile({ source: "project", path: "/p/reader.md", text }).definitions).toMatchObject([
    { onlyReads: true, disallowedTools: ["Bash", "WebFetch"] },
  ])
  expect(offeredTo(text)).toEqual(["Read"])
})

test("so does one whose tools stand in quotes, whose name is written in small letters, or whose limit is misspelled", () => {
  const head = (line: string) => `---\nname: reader\ndescription: Reads.\n${line}\n---\nYou read.`
  expect(offeredTo(head(`disallowedTools: "Bash, Write", WebFetch`))).toEqual([])
  expect(offeredTo(head(`disallowedTools: ["Bash, Write", 'WebFetch'] # these`))).toEqual(["Read"])
  expect(offeredTo(head("disallowedTools: bash, WRITE, WebFetch"))).toEqual(["Read"])
  expect(offeredTo(head("disallowed_tools: Bash, Write, WebFetch"))).toEqual(["Read"])
  expect(offeredTo(head("disalowedTools: Bash"))).toEqual([])
  expect(offeredTo(head("permissionMode: reading"))).toEqual([])
})
