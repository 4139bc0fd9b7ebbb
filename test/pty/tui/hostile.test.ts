/** Nothing that a model, a file or a program says reaches the terminal as anything but text. */

import { expect, test } from "bun:test"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"

const attack =
  "\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u009b5m\u001bPq\u001b\\\u001b]8;;http://evil\u0007click\u001b[?1049h"

test("escape sequences in text, names, output and questions", async () => {
  using place = openPlace({ [`evil\u001b[2Jname.txt`]: attack })
  await using run = await openScreenRun({
    place,
    argv: [`look ${attack}`, "--allowed-tools", "Bash(cat:*)", "Bash(ls:*)"],
    scenario: [
      {
        content: [
          `Hello ${attack} there &#27;[2J &#x9b;2J.\n\n\`\`\`\n${attack}\n\`\`\`\n`,
          { tool: "Bash", input: { command: "ls; cat evil*" } },
        ],
      },
      { content: [{ tool: "Write", input: { file_path: `b${attack}.txt`, content: attack } }] },
      "Fine.",
    ],
  })
  await run.asks("▌ Create b")
  run.type("\u001b")
  await run.shows("· Declined")
  // oxlint-disable-next-line no-control-regex -- the title is ours.
  const titles = /\u001b\]2;(?:[?*] )?work - codewright\u0007/g
  // oxlint-disable-next-line no-control-regex -- so are what calls the person, and links that lead where they say.
  const calls = /\u001b\]9;Codewright: work: waiting for your approval\.\u0007/g
  // oxlint-disable-next-line no-control-regex -- as above.
  const links = /\u001b\]8;;(https?:[!-~]+)\u001b\\\1\u001b\]8;;\u001b\\/g
  const raw = run.terminal.raw().replaceAll(titles, "").replaceAll(calls, "").replaceAll(links, "")
  const sequences = new Set(
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
    (raw.match(/\u001b(?:\[[^@-~]*[@-~]|.)/g) ?? []).map((found) => found.replaceAll(/\d+/g, "#")),
  )
  // Styles, moves, rows, the modes we set and undo: nothing else was ever written.
  // oxlint-disable-next-line no-control-regex -- as above.
  const ours = /^\u001b\[(?:[#;]*m|#?[ABCJKL]|\?#[hl]|>#u|<u|#;#t)$/
  expect([...sequences].filter((found) => !ours.test(found))).toEqual([])
  // oxlint-disable-next-line no-control-regex -- as above.
  expect(raw).not.toMatch(/\u001b\[[23]J|\u001b\[\?1049h|[\u0080-\u009f]|\u001b\]/)
  expect(raw).toContain("<U+001B>")
})
