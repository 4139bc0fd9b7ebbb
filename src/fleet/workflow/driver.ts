/** The program that a workflow's script runs in: a process of its own, which asks for agents over a channel and computes nothing else. */

export const driver = `
const [script, input] = process.argv.slice(-2)
const open = new Map()
let last = 0
process.on("message", ({ id, value, failure }) => {
  const { resolve, reject } = open.get(id) ?? {}
  open.delete(id)
  if (failure === undefined) resolve?.(value)
  else reject?.(new Error(failure))
})
// Nobody is left to answer.
process.on("disconnect", () => process.exit(1))
const ask = (what) =>
  new Promise((resolve, reject) => {
    const id = ++last
    open.set(id, { resolve, reject })
    process.send({ id, ...what })
  })
const agent = (prompt, options = {}) => ask({ kind: "agent", prompt, options })
const log = (text) => void process.send({ kind: "log", text: String(text) })
// Whoever ends at once loses what has not been sent yet.
const end = (what) => process.send(what, undefined, undefined, () => process.exit(0))
try {
  const { default: run } = await import(script)
  if (typeof run !== "function") throw new Error("The script has no default export that is a function.")
  const result = await run({ agent, log, input: JSON.parse(input) })
  end({ kind: "end", result: result === undefined ? null : result })
} catch (error) {
  end({ kind: "failed", message: error instanceof Error ? error.message : String(error) })
}
`
