/** What a program prints, as lines; none if it fails. */

export function output(cwd: string, ...argv: readonly string[]): readonly string[] {
  const { exitCode, stdout } = Bun.spawnSync([...argv], { cwd, stdin: "ignore", stderr: "ignore" })
  return exitCode === 0 ? stdout.toString().split("\n").filter(Boolean) : []
}
