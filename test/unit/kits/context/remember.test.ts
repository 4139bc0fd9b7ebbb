/** Notes of a person: where they may go and how they are added. */

import { expect, test } from "bun:test"
import { memoryTargets, withNote } from "#kits/context/remember.ts"

test("a note becomes one more item, in the style of the file", () => {
  expect(withNote("", "use bun")).toBe("- use bun\n")
  expect(withNote("# Rules", "use bun")).toBe("# Rules\n\n- use bun\n")
  expect(withNote("# Rules\n- one\n", " use bun ")).toBe("# Rules\n- one\n- use bun\n")
  expect(withNote("# Rules\n- one", "two\nlines")).toBe("# Rules\n- one\n- two\n  lines\n")
  expect(withNote("# Rules\r\n\r\n- one\r\n", "two")).toBe("# Rules\r\n\r\n- one\r\n- two\r\n")
  expect(withNote("text\n\n", "two")).toBe("text\n\n- two\n")
  for (const nothing of ["", "  ", "\n\t"]) expect(withNote("# Rules\n", nothing)).toBeUndefined()
})

test("into the project's file that is there, the person's own for it, or the one for all projects", () => {
  const place = { root: "/repo", user: ["/home/.codewright/AGENTS.md", "/home/.claude/CLAUDE.md"] }
  const paths = (exists: (path: string) => boolean) => memoryTargets(place, exists).map(({ path }) => path)
  expect(paths(() => false)).toEqual(["/repo/AGENTS.md", "/repo/CLAUDE.local.md", "/home/.codewright/AGENTS.md"])
  expect(paths((path) => path === "/repo/CLAUDE.md")[0]).toBe("/repo/CLAUDE.md")
})
