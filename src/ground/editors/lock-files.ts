/** Editors on this machine that offer a connection: each writes a lock file named after its port. */

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { isObject, objectIn } from "#lib/json.ts"
import { liesIn } from "#lib/lies-in.ts"
import { namesIn } from "#lib/quietly.ts"

export interface FoundEditor {
  readonly port: number
  readonly pid: number
  readonly name: string
  readonly folders: readonly string[]
  readonly token: string
}

const mostBytes = 65_536
const mostFiles = 200
const mostFolders = 50
const mostName = 60
const tokenLength = { least: 10, most: 500 }

/** By port. Files of other users, of processes that have ended, and files that do not fit the format are left out. */
export function findEditors(folder: string): readonly FoundEditor[] {
  return namesIn(folder)
    .slice(0, mostFiles)
    .flatMap((name) => {
      const port = Number(/^(\d{1,5})\.lock$/.exec(name)?.[1])
      const text = port > 0 && port < 65_536 ? readOwn(join(folder, name)) : undefined
      return text === undefined ? [] : (editorIn(text, port) ?? [])
    })
    .toSorted((a, b) => a.port - b.port)
}

/** How close its workspace is to the folder: the length of the longest one around it, 0 if there is none. */
export function depthIn({ folders }: Pick<FoundEditor, "folders">, folder: string): number {
  const real = realPath(folder)
  const around = folders.map(realPath).filter((one) => liesIn(real, one))
  return Math.max(0, ...around.map((one) => one.length))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A token in a file that somebody else could have written could lead us to their server. */
function readOwn(file: string): string | undefined {
  let handle: number | undefined
  try {
    // Neither a link nor a pipe.
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { uid, mode, size, ...stat } = statOf(handle)
    const isOurs = process.getuid === undefined || uid === process.getuid()
    if (!stat.isFile || !isOurs || (mode & 0o002) !== 0 || size > mostBytes) return undefined
    return readFileSync(handle, "utf8").slice(0, mostBytes)
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function statOf(handle: number) {
  const stat = fstatSync(handle)
  return { uid: stat.uid, mode: stat.mode, size: stat.size, isFile: stat.isFile() }
}

function editorIn(text: string, port: number): FoundEditor | undefined {
  const lock = objectIn(text)
  if (!isObject(lock)) return undefined
  const { pid, workspaceFolders, ideName, transport, authToken } = lock
  if (transport !== undefined && transport !== "ws") return undefined
  if (typeof authToken !== "string" || !isToken(authToken)) return undefined
  if (typeof pid !== "number" || !isOwnProcess(pid)) return undefined
  const listed = Array.isArray(workspaceFolders) ? workspaceFolders : []
  const folders = listed.filter((one) => typeof one === "string").filter((one) => one.startsWith("/"))
  const name = typeof ideName === "string" && ideName.trim() !== "" ? ideName.trim().slice(0, mostName) : "Editor"
  return { port, pid, name: name.toWellFormed(), folders: folders.slice(0, mostFolders), token: authToken }
}

/** It becomes a header, so it must not hold line breaks. */
const isToken = (token: string): boolean =>
  token.length >= tokenLength.least && token.length <= tokenLength.most && /^[\x21-\x7e]+$/.test(token)

/** A process of another user cannot be signaled. */
function isOwnProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
