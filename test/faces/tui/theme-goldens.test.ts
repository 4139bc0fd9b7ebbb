/** The screens that people show around, in three widths and three themes: light, dark, and without colors. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { expectGolden } from "../../kit/golden.ts"
import { aroundPromptScenes } from "./around-prompt-scenes.ts"
import { openOnPaper, untilLoaded } from "./on-paper.ts"
import { type PanelScene, panelScenes } from "./panel-scenes.ts"
import { runningScenes } from "./running-scenes.ts"

const shown: { readonly [name: string]: PanelScene | undefined } = {
  "edit dialog": panelScenes["a permission question with a difference"],
  review: panelScenes["panel of changes, one part"],
  palette: aroundPromptScenes["the palette searched"],
  menu: { options: aroundPromptScenes["the palette"]?.options ?? {}, play: (paper) => paper.type("/c") },
  column: aroundPromptScenes["the column beside the prompt"],
  agents: aroundPromptScenes["agents beside the conversation"],
  sessions: runningScenes["panel of running sessions"],
}

for (const [name, scene] of Object.entries(shown))
  for (const columns of [60, 100, 160])
    for (const theme of ["dark", "light", "none"] as const)
      test(`${name}, ${columns} columns, ${theme}`, async () => {
        const paper = await openOnPaper(columns, 30, { ...scene?.options, theme })
        await scene?.play(paper)
        await untilLoaded(paper)
        const styled = await paper.terminal.styled()
        if (theme === "none") expect(styled).not.toMatch(/\{[a-z ]*\d+:/)
        await expectGolden(
          join(import.meta.dir, "goldens", "themes", `${name.replaceAll(" ", "-")}-${columns}-${theme}.txt`),
          `${styled}\n`,
        )
      })
