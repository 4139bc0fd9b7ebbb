/**
 * Stand-ins for programs that this machine lacks: each prints its words and where it is, and those that ask a server say
 * whether it answered.
 */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const names =
  "black bun cal clang clang-format conda cppcheck corepack docker gh go gofmt golangci-lint gradle helm kubectl mypy ninja pnpm poetry pyenv ruff rustfmt terraform tree uv yarn".split(
    " ",
  )

/** Not `--version` and the like, for which nobody is asked. */
const source = (port: number): string => `
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int asks(const char *name, int count, char **words) {
  if (strcmp(name, "docker") && strcmp(name, "gh") && strcmp(name, "helm") && strcmp(name, "kubectl")) return 0;
  for (int i = 1; i < count; i++)
    if (strstr("--version version config context alias help --help", words[i])) return 0;
  return 1;
}

int main(int count, char **words) {
  char folder[4096];
  const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
  printf("%s", name);
  for (int i = 1; i < count; i++) printf(" [%s]", words[i]);
  printf("\\nin %s\\n", getcwd(folder, sizeof folder));
  if (!asks(name, count, words)) return 0;
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(${port}), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof server)) return printf("no connection\\n"), 1;
  printf("connected\\n");
  return 0;
}
`

/** Puts those that are missing into a folder; `port` is where servers are asked. */
export function makeStubs(folder: string, { path, port }: { readonly path: string; readonly port: number }): void {
  mkdirSync(folder, { recursive: true })
  const [code, program] = [join(folder, "stub.c"), join(folder, "stub")]
  writeFileSync(code, source(port))
  const { exitCode, stderr } = Bun.spawnSync(["gcc", "-o", program, code])
  if (exitCode !== 0) throw new Error(`The stand-ins for missing programs need gcc: ${stderr.toString()}`)
  for (const name of names) if (!Bun.which(name, { PATH: path })) copyFileSync(program, join(folder, name))
}
