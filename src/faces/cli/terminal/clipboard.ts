/** What is in the clipboard of the user's desktop, through the programs that desktops come with. */

import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type Clipping =
  { readonly kind: "picture"; readonly bytes: Buffer } | { readonly kind: "text"; readonly text: string }

export interface ClipboardPlace {
  readonly platform: NodeJS.Platform
  readonly env: { readonly [name: string]: string }
}

const patienceMs = 4_000
const mostBytes = 60_000_000
const pictureTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"]

export async function readClipboard(place: ClipboardPlace, signal: AbortSignal): Promise<Result<Clipping, string>> {
  const reader = readers(place).find(({ program }) => Bun.which(program, { PATH: place.env.PATH ?? "" }) !== null)
  if (!reader) return failed(`The clipboard cannot be read: there is no ${wanted(place)} here. Install one of them.`)
  const run = (argv: readonly string[]): Promise<Buffer | undefined> => output(argv, place, signal)
  const picture = await reader.picture(run)
  if (picture && picture.length > 0) return ok({ kind: "picture", bytes: picture })
  const text = (await run(reader.text))?.toString("utf8").replaceAll(/\r\n?/g, "\n") ?? ""
  return text === "" ? failed("The clipboard has nothing that can be pasted.") : ok({ kind: "text", text })
}

type RunProgram = (argv: readonly string[]) => Promise<Buffer | undefined>

interface ClipboardReader {
  readonly program: string
  readonly picture: (run: RunProgram) => Promise<Buffer | undefined>
  readonly text: readonly string[]
}

function readers({ platform, env }: ClipboardPlace): readonly ClipboardReader[] {
  if (platform === "darwin") return [mac]
  return env.WAYLAND_DISPLAY === undefined ? [xclip, xsel, wayland] : [wayland, xclip, xsel]
}

const wanted = ({ platform }: ClipboardPlace): string => (platform === "darwin" ? "pbpaste" : "wl-paste, xclip or xsel")

const wayland: ClipboardReader = {
  program: "wl-paste",
  picture: (run) => offered(run, ["wl-paste", "--list-types"], (type) => ["wl-paste", "--type", type]),
  text: ["wl-paste", "--no-newline"],
}

const xclip: ClipboardReader = {
  program: "xclip",
  picture: (run) =>
    offered(run, ["xclip", "-selection", "clipboard", "-t", "TARGETS", "-o"], (type) => [
      "xclip",
      "-selection",
      "clipboard",
      "-t",
      type,
      "-o",
    ]),
  text: ["xclip", "-selection", "clipboard", "-o"],
}

const xsel: ClipboardReader = {
  program: "xsel",
  picture: async () => undefined,
  text: ["xsel", "--clipboard", "--output"],
}

const mac: ClipboardReader = {
  program: "pbpaste",
  async picture(run) {
    const printed = await run(["osascript", "-e", "get the clipboard as «class PNGf»"])
    const hex = /«data PNGf([0-9A-F]+)»/i.exec(printed?.toString("utf8") ?? "")?.[1]
    return hex === undefined ? undefined : Buffer.from(hex, "hex")
  },
  text: ["pbpaste"],
}

/** Asks for the offered types, then for the first image type that a model accepts. */
async function offered(
  run: RunProgram,
  list: readonly string[],
  read: (type: string) => readonly string[],
): Promise<Buffer | undefined> {
  const types = (await run(list))?.toString("utf8").split(/\s+/) ?? []
  const type = pictureTypes.find((known) => types.includes(known))
  return type === undefined ? undefined : run(read(type))
}

async function output(
  argv: readonly string[],
  { env }: ClipboardPlace,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const program = Bun.which(argv[0] ?? "", { PATH: env.PATH ?? "" })
  if (program === null || signal.aborted) return undefined
  const child = Bun.spawn([program, ...argv.slice(1)], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    signal,
    timeout: patienceMs,
    maxBuffer: mostBytes,
  })
  // A program that does not end well may leave a child behind that never closes the pipe.
  const bytes = child.stdout.bytes().catch(() => undefined)
  if ((await child.exited) !== 0) return undefined
  const waited = new AbortController()
  const whole = await Promise.race([bytes, systemClock.sleep(patienceMs, AbortSignal.any([signal, waited.signal]))])
  waited.abort()
  return whole instanceof Uint8Array ? Buffer.from(whole) : undefined
}
