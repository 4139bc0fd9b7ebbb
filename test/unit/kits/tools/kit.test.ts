import { expect, test } from "bun:test"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"

const kit = toolsKit({
  clock: systemClock,
  ids: systemIds,
  workspace: openWorkspace({
    root: "/project",
    home: "/home/me",
    ripgrep: async () => "/usr/bin/rg",
    sessionFolder: "/nowhere",
    env: () => ({}),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: () => true,
  }),
})

test("the kit brings the tools of the workspace", () => {
  expect(kit.tools?.map(({ name }) => name)).toEqual([
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "NotebookEdit",
    "Bash",
    "BashOutput",
    "KillShell",
  ])
})

test("descriptions and schemas stay within their budget", () => {
  const sizes =
    kit.tools?.map(({ name, description, schema }) => [
      name,
      name.length + description.length + JSON.stringify(schema).length,
    ]) ?? []
  const total = sizes.reduce((sum, [, size]) => sum + Number(size), 0)
  expect(total / 4).toBeLessThan(2600)
})

test("footprints name absolute paths and the command as written", () => {
  const footprints = (kit.tools ?? []).map((tool) => {
    const parsed = tool.parse(inputs[tool.name] ?? {})
    if (!parsed.ok) throw new Error(parsed.message)
    const { reads, writes, runs } = tool.footprint(parsed.value)
    return [tool.name, tool.title(parsed.value), reads, writes, runs]
  })
  expect(footprints).toEqual([
    ["Read", "Read src/a.ts", ["/project/src/a.ts"], [], []],
    ["Write", "Write ~/b", [], ["/home/me/b"], []],
    ["Edit", "Edit /etc/hosts", [], ["/etc/hosts"], []],
    ["MultiEdit", "MultiEdit /etc/hosts", [], ["/etc/hosts"], []],
    ["Glob", "Glob src/app/**/*.ts", ["/project/src/app"], [], []],
    ["Grep", "Grep x in ../other", ["/other"], [], []],
    ["LS", "LS src", ["/project/src"], [], []],
    ["NotebookRead", "NotebookRead a.ipynb", ["/project/a.ipynb"], [], []],
    ["NotebookEdit", "NotebookEdit a.ipynb (replace)", [], ["/project/a.ipynb"], []],
    ["Bash", "Bash (2 lines): npm test", [], [], ["npm test\nnpm run build"]],
    ["BashOutput", "BashOutput bash_1", [], [], []],
    ["KillShell", "KillShell bash_1", [], [], []],
  ])
})

const inputs: { readonly [tool: string]: JsonObject } = {
  Read: { file_path: "src/a.ts" },
  Write: { file_path: "~/b", content: "" },
  Edit: { file_path: "/etc/hosts", old_string: "a", new_string: "b" },
  Glob: { pattern: "app/**/*.ts", path: "src" },
  Grep: { pattern: "x", path: "../other" },
  MultiEdit: { file_path: "/etc/hosts", edits: [{ old_string: "a", new_string: "b" }] },
  LS: { path: "src" },
  NotebookRead: { notebook_path: "a.ipynb" },
  NotebookEdit: { notebook_path: "a.ipynb", cell_id: "a", new_source: "" },
  Bash: { command: "npm test\nnpm run build" },
  BashOutput: { bash_id: "bash_1" },
  KillShell: { shell_id: "bash_1" },
}
