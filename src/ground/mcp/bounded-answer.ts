/**
 * Bounds the size of a server's messages, and cuts off answers beyond it: the library would keep all of them in
 * memory.
 */

/** A message may carry a large file; a line, an answer or an event that is longer is not a message. */
export const mostMessageBytes: number = 64 * 1024 * 1024

/** Reading past the bound fails. In an event stream the bound applies to each event. */
export function boundedAnswer(response: Response, most: number = mostMessageBytes): Response {
  if (response.body === null) return response
  const isEvents = response.headers.get("content-type")?.includes("text/event-stream") ?? false
  const since = isEvents ? openEventCounter() : openCounter()
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (since(chunk) > most)
        controller.error(new Error(`The server sent more than ${most / 1024 / 1024} MB at once.`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(bound), { status, statusText, headers })
}

type Count = (chunk: Uint8Array) => number

function openCounter(): Count {
  let bytes = 0
  return (chunk) => (bytes += chunk.length)
}

/** Bytes since the last empty line, which ends an event. */
function openEventCounter(): Count {
  let bytes = 0
  let tail = Buffer.alloc(0)
  return (chunk) => {
    // An empty line may be parted by the border of a chunk.
    const seen = Buffer.concat([tail, chunk])
    const end = Math.max(...endings.map((ending) => lastAfter(seen, ending)))
    bytes = end < 0 ? bytes + chunk.length : seen.length - end
    tail = Buffer.from(seen.subarray(-longestEnding))
    return bytes
  }
}

const endings: readonly string[] = ["\n\n", "\r\r", "\n\r\n", "\r\n\r"]
const longestEnding = 3

function lastAfter(bytes: Buffer, ending: string): number {
  const at = bytes.lastIndexOf(ending)
  return at < 0 ? -1 : at + ending.length
}
