/** The panel of the sandbox: what commands may do, and the switch for new sessions. */

import { bold } from "#faces/tui/screen/style.ts"
import { fitted, wrapped, wrappedBelow } from "#faces/tui/screen/width.ts"
import { sandboxSections } from "#session/slash/sandbox-text.ts"
import type { TextDefinition } from "./panel.ts"
import { passage } from "./passage.ts"
import type { SandboxPort } from "./ports.ts"

export const sandboxPanel = <T>(port: SandboxPort): TextDefinition<T> => ({
  kind: "text",
  title: "Sandbox",
  begins: "top",
  async load() {
    const [[state = [], ...sections], isOn] = await Promise.all([port.overview().then(sandboxSections), port.isOn()])
    return {
      draw: passage(
        (columns) => state.flatMap((line) => wrapped(line, columns)),
        ...sections.map((lines) => (columns: number) => sectionRows(lines, columns)),
      ),
      keys: [
        {
          name: "s",
          about: `turn ${isOn ? "off" : "on"} for new sessions`,
          async run() {
            const done = await port.set(!isOn)
            return { kind: "stays", note: done.ok ? `${done.value} Applies to new sessions.` : done.failure }
          },
        },
      ],
    }
  },
})

const sectionRows = ([title = "", ...lines]: readonly string[], columns: number): readonly string[] => [
  fitted(bold(title), columns),
  ...lines.flatMap((line) => wrappedBelow(line, columns)),
]
