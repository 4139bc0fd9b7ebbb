/** Whether an Agent SDK started the program, from the environment alone: `--version` must not load the whole table. */

export function isDrivenBySdk(): boolean {
  const entrypoint = process.env["CODEWRIGHT_ENTRYPOINT"] || process.env["CLAUDE_CODE_ENTRYPOINT"] || ""
  return entrypoint.startsWith("sdk-")
}
