/** The index of a git repository, read far enough to know its names and which of them are other repositories. */

/** Paths of recorded submodules; undefined when the index is not understood. */
export const repositoriesInIndex = (bytes: Uint8Array, hashBytes: 20 | 32): readonly string[] | undefined =>
  namesWhere(bytes, hashBytes, (mode) => mode === 0o16)

/** Undefined also when some of them stand for whole folders. */
export function namesInIndex(bytes: Uint8Array, hashBytes: 20 | 32): readonly string[] | undefined {
  const folders = namesWhere(bytes, hashBytes, (mode) => mode === 0o4)
  return folders?.length === 0 ? namesWhere(bytes, hashBytes, () => true) : undefined
}

function namesWhere(
  bytes: Uint8Array,
  hashBytes: 20 | 32,
  isWanted: (mode: number) => boolean,
): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 + hashBytes || view.getUint32(0) !== signature("DIRC")) return undefined
  const version = view.getUint32(4)
  const count = view.getUint32(8)
  if (version < 2 || version > 4) return undefined
  const found: string[] = []
  const text = new TextDecoder()
  let at = 12
  let name: Uint8Array = new Uint8Array()
  for (let i = 0; i < count; i++) {
    const start = at
    if (start + 42 + hashBytes >= bytes.length) return undefined
    const isFound = isWanted(view.getUint32(start + 24) >>> 12)
    const extended = version > 2 && (view.getUint16(start + 40 + hashBytes) & 0x4000) !== 0
    at = start + 42 + hashBytes + (extended ? 2 : 0)
    let kept = 0
    if (version === 4) {
      const shared = readCount(bytes, at)
      if (!shared) return undefined
      at = shared.next
      kept = name.length - shared.value
    }
    const end = bytes.indexOf(0, at)
    if (end === -1 || kept < 0) return undefined
    // Names are only built where needed: every one in version four, few in the others.
    if (version === 4) name = joined(name.subarray(0, kept), bytes.subarray(at, end))
    if (isFound) found.push(text.decode(version === 4 ? name : bytes.subarray(at, end)))
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7)
  }
  return hasSharedPart(view, at, bytes.length - hashBytes) ? undefined : found
}

/** Whether part of the entries are in another file. */
function hasSharedPart(view: DataView, from: number, to: number): boolean {
  for (let at = from; at + 8 <= to; at += 8 + view.getUint32(at + 4)) {
    if (view.getUint32(at) === signature("link")) return true
  }
  return false
}

/** Seven bits per byte, each but the last with its top bit set, as git packs offsets. */
function readCount(bytes: Uint8Array, from: number): { readonly value: number; readonly next: number } | undefined {
  let at = from
  let byte = bytes[at++]
  if (byte === undefined) return undefined
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes[at++]
    if (byte === undefined || value > 0xffffff) return undefined
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  return { value, next: at }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

const signature = (name: string): number => [...name].reduce((sum, char) => sum * 256 + char.charCodeAt(0), 0)
