import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { findLanguageServers, isForProject, resolveCommand, serverFor } from "#ground/lsp/find-servers.ts"
import { readServersFile, readWish, type WrittenLanguageServer } from "#ground/lsp/server-config.ts"
import type { JsonValue } from "#lib/json.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const wish = (value: JsonValue, more: Partial<WrittenLanguageServer> = {}) =>
  readWish({ name: "x", source: "settings", file: "settings.json", base: "/base", value, ...more })

const written = (name: string, value: JsonValue, source: WrittenLanguageServer["source"] = "settings") =>
  ({ name, source, file: "settings.json", base: "/base", value }) as const

function program(file: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "#!/bin/sh\n")
  chmodSync(file, 0o755)
  return file
}

test("known servers are found on the PATH, the preferred one first; what cannot be run is not", () => {
  using folder = temporaryFolder()
  const clangd = program(folder.join("bin/clangd"))
  program(folder.join("bin/pylsp"))
  const pyright = program(folder.join("more/pyright-langserver"))
  writeFileSync(folder.join("bin/gopls"), "")
  const { servers, problems } = findLanguageServers({
    written: [],
    finds: true,
    path: `relative:${folder.join("bin")}:${folder.join("more")}`,
  })
  expect(problems).toEqual([])
  expect(servers.map(({ name, command, source }) => [name, command, source])).toEqual([
    ["python", pyright, "path"],
    ["clangd", clangd, "path"],
  ])
  expect(findLanguageServers({ written: [], finds: false, path: folder.join("bin") }).servers).toEqual([])
})

test("tsc counts as a server only from version 7 of its package on", () => {
  for (const [version, found] of [
    ["5.9.3", []],
    ["7.0.1", [["--lsp", "--stdio"]]],
  ] as const) {
    using folder = temporaryFolder()
    program(folder.join("typescript/bin/tsc"))
    writeFileSync(folder.join("typescript/package.json"), JSON.stringify({ name: "typescript", version }))
    mkdirSync(folder.join("bin"))
    symlinkSync(folder.join("typescript/bin/tsc"), folder.join("bin/tsc"))
    const { servers } = findLanguageServers({ written: [], finds: true, path: folder.join("bin") })
    expect(servers.map(({ args }) => args)).toEqual(found.map((args) => [...args]))
  }
})

test("settings add servers, change and disable those on the PATH; the first of a name counts", () => {
  using folder = temporaryFolder()
  program(folder.join("bin/clangd"))
  program(folder.join("bin/gopls"))
  const { servers, problems } = findLanguageServers({
    written: [
      written("clangd", { args: ["--log=error"] }, "project"),
      written("clangd", { disabled: true }),
      written("go", { disabled: true }),
      written("zig", { command: "zls", extensionToLanguage: { zig: "zig" } }),
      written("odd", { command: 7 }),
      written("lua", {}),
    ],
    finds: true,
    path: folder.join("bin"),
  })
  expect(servers.map(({ name, source, args }) => [name, source, args])).toEqual([
    ["clangd", "project", ["--log=error"]],
    ["zig", "settings", []],
  ])
  expect(problems).toEqual([
    "lsp.odd in settings.json: command must be a string.",
    "lsp.lua in settings.json: command is missing.",
  ])
  expect(serverFor(servers, "/a/B.ZIG")?.name).toBe("zig")
})

test("a user's change of a found server does not approve its program", () => {
  using folder = temporaryFolder()
  program(folder.join("bin/clangd"))
  const { servers } = findLanguageServers({
    written: [written("clangd", { env: { A: "b" } })],
    finds: true,
    path: folder.join("bin"),
  })
  expect(servers[0]?.source).toBe("path")
})

test("what is wrong is named", () => {
  const rows: readonly (readonly [JsonValue, string])[] = [
    [7, "must be an object."],
    [{ command: "" }, "command must be a string."],
    [{ command: "a", args: "b" }, "args must be a list of strings."],
    [{ command: "a", env: { A: 1 } }, "env must be an object of strings."],
    [{ command: "a" }, 'extensionToLanguage is missing, such as { ".go": "go" }.'],
    [{ command: "a", transport: "socket" }, 'only the transport "stdio" is supported.'],
    [{ command: "${HOME}/a", extensionToLanguage: { ".a": "a" } }, "${HOME} is not set."],
  ]
  for (const [value, words] of rows)
    expect(wish(value)).toEqual({ ok: false, failure: `lsp.x in settings.json: ${words}` })
  expect(wish({ command: "a" }, { name: "a b" }).ok).toBe(false)
})

test("a plugin's file: its variables, its folder, its names", () => {
  using folder = temporaryFolder()
  const file = folder.join(".lsp.json")
  const given = { source: "plugin", base: folder.path, prefix: "plugin:p:", variables: { ROOT: "/r" } } as const
  expect(readServersFile(file, given)).toEqual({ ok: true, value: [] })
  writeFileSync(
    file,
    JSON.stringify({ go: { command: "./gopls", args: ["${ROOT}/x"], extensionToLanguage: { ".GO": "go" } } }),
  )
  const read = readServersFile(file, given)
  if (!read.ok) throw new Error(read.failure)
  const [first] = read.value
  expect(first && readWish(first)).toEqual({
    ok: true,
    value: {
      kind: "server",
      server: {
        name: "plugin:p:go",
        source: "plugin",
        command: folder.join("gopls"),
        args: ["/r/x"],
        env: {},
        languages: { ".go": "go" },
      },
    },
  })
  writeFileSync(file, "[")
  expect(readServersFile(file, given).ok).toBe(false)
})

test("a project is known by its marks or its files; commands by their whole path", () => {
  using folder = temporaryFolder()
  const [clangd] = findLanguageServers({
    written: [written("clangd", { command: "clangd", extensionToLanguage: { ".c": "c" } })],
    finds: false,
    path: "",
  }).servers
  const servers = clangd ? [clangd] : []
  expect(isForProject(servers, folder.path)).toBe(false)
  writeFileSync(folder.join("compile_flags.txt"), "")
  expect(isForProject(servers, folder.path)).toBe(true)
  expect(isForProject(servers, folder.join("missing"))).toBe(false)
  const made = program(folder.join("bin/own"))
  expect([resolveCommand("own", folder.join("bin")), resolveCommand(made, ""), resolveCommand("none", "/bin")]).toEqual(
    [made, made, undefined],
  )
})
