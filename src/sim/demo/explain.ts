/** Explains a repository from its tree, its manifest and its README. */

import { isObject } from "#lib/json.ts"
import { finish, type Move } from "./move.ts"
import { listFiles, parseManifest, readFiles, shallowest, textIn } from "./project.ts"
import type { Story } from "./story.ts"

const mostFolders = 12

export function explain(story: Story): Move {
  const files = listFiles(story, "I will see what is here.")
  if (files.kind === "move") return files.move
  const overviewFiles = ["README.md", "package.json"].flatMap((name) => shallowest(files.value, name) ?? [])
  const read = readFiles(story, overviewFiles, "These say most about a project.")
  if (read.kind === "move") return read.move
  const readme = read.value.find(({ path }) => /readme/i.test(path))?.lines ?? []
  const manifest = parseManifest(read.value.find(({ path }) => path.endsWith("package.json"))?.lines ?? [])
  const name = textIn(manifest.name) || readme.find((line) => line.startsWith("# "))?.slice(2) || "This folder"
  const about = textIn(manifest.description) || firstParagraph(readme)
  const scripts = isObject(manifest.scripts) ? Object.entries(manifest.scripts) : []
  return finish(
    [
      `**${name}**${about ? `: ${about}` : " does not say what it is for."}`,
      `What is here:\n\n${tree(files.value)}`,
      scripts.length > 0 &&
        `Scripts:\n\n${scripts.map(([key, value]) => `- \`npm run ${key}\`: \`${textIn(value)}\``).join("\n")}`,
      "This is what the project says of itself; I did not read the code.",
    ]
      .filter((part) => part !== false)
      .join("\n\n"),
  )
}

function firstParagraph(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"))
  if (start === -1) return ""
  const end = lines.findIndex((line, at) => at > start && line.trim() === "")
  return lines.slice(start, end === -1 ? undefined : end).join(" ")
}

/** Folders with their file counts, then the files at the top. */
function tree(files: readonly string[]): string {
  const root = commonRoot(files)
  const inside = files.map((path) => path.slice(root.length))
  const folders = Map.groupBy(
    inside.filter((path) => path.includes("/")),
    (path) => path.slice(0, path.indexOf("/")),
  )
  const shown = [...folders]
    .slice(0, mostFolders)
    .map(([folder, paths]) => `- \`${folder}/\`: ${paths.length} ${paths.length === 1 ? "file" : "files"}`)
  const top = inside.filter((path) => path !== "" && !path.includes("/") && !folders.has(path))
  return [...shown, ...(top.length > 0 ? [`- at the top: ${top.map((path) => `\`${path}\``).join(", ")}`] : [])].join(
    "\n",
  )
}

function commonRoot(files: readonly string[]): string {
  const first = files[0] ?? ""
  const folders = first.split("/").slice(0, -1)
  while (folders.length > 0 && !files.every((path) => path.startsWith(`${folders.join("/")}/`))) folders.pop()
  // Only absolute paths have a common root worth leaving out.
  return first.startsWith("/") && folders.length > 0 ? `${folders.join("/")}/` : ""
}
