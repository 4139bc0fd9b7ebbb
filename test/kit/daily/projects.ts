/** A small project for each ecosystem of the corpus of everyday commands, with what their commands name. */

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

type Files = { readonly [path: string]: string }

const lodash = JSON.stringify({ name: "lodash", version: "4.17.21", main: "lodash.js", license: "MIT" }, null, 2)
const manifest = {
  name: "app",
  version: "1.2.3",
  license: "MIT",
  scripts: { test: "node --test", build: "node build.js", start: "node server.js", lint: "node lint.js" },
  dependencies: { lodash: "^4.17.21" },
}
const lock = {
  name: "app",
  version: "1.2.3",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "app", version: "1.2.3", license: "MIT", dependencies: { lodash: "^4.17.21" } },
    "node_modules/lodash": { version: "4.17.21", license: "MIT" },
  },
}

const javascript: Files = {
  "package.json": JSON.stringify(manifest, null, 2),
  "package-lock.json": JSON.stringify(lock, null, 2),
  "node_modules/lodash/package.json": lodash,
  "node_modules/lodash/lodash.js": "module.exports = {}\n",
  "node_modules/.bin/tool": "#!/bin/sh\necho tool\n",
  "src/index.js": "const lodash = require('lodash')\n// TODO: useState\nconsole.log(lodash)\n",
  "src/util.js": "exports.add = (a, b) => a + b\n",
  "src/app.ts": "export const app = 1\n",
  "web/package.json": JSON.stringify({ name: "web", version: "0.1.0", scripts: { test: "node --test" } }, null, 2),
  "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
  "README.md": "# App\n\nA small app.\n",
  "names.txt": "ann\nbob\ncarl\n",
  "run.sh": "#!/bin/sh\necho run\n",
  Dockerfile: "FROM alpine\n",
  "docker-compose.yml": "services:\n  web:\n    image: app\n",
  "k8s/deployment.yaml": "kind: Deployment\nspec:\n  replicas: 2\n",
  "main.tf": 'variable "name" {\n  default = "app"\n}\n',
  ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: npm test\n",
  ".gitignore": "node_modules\n.env\n",
}

const python: Files = {
  "pyproject.toml": '[project]\nname = "app"\nversion = "0.1.0"\n',
  "requirements.txt": "requests\nflask\n",
  "requirements-dev.txt": "pytest\nrequests\n",
  "src/app.py": "import os\n\n\nclass App:\n    pass\n\n\ndef main():\n    print(os.getcwd())\n",
  "tests/test_app.py": "def test_app():\n    assert True\n",
  "data.json": '{"b": 1, "a": [1, 2]}\n',
  "data.csv": "name,amount\nann,3\nbob,4\nann,5\n",
}

const rust: Files = {
  "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
  "Cargo.lock": 'version = 3\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n',
  "src/main.rs": 'fn main() {\n    let name = Some("world").unwrap();\n    println!("hello {name}");\n}\n',
  "target/debug/.keep": "",
}

const go: Files = {
  "go.mod": "module example.com/app\n\ngo 1.22\n",
  "go.sum": "",
  "main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hello")\n}\n',
  "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestFoo(t *testing.T) {}\n',
}

const java: Files = {
  "pom.xml":
    '<project xmlns="http://maven.apache.org/POM/4.0.0">\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>a</groupId>\n  <artifactId>app</artifactId>\n  <version>1.0</version>\n</project>\n',
  "src/main/java/App.java":
    'public class App {\n  public static void main(String[] args) {\n    System.out.println("hello");\n  }\n}\n',
}

const cpp: Files = {
  "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(app CXX)\nadd_executable(app src/main.cpp)\n",
  Makefile: "all:\n\tg++ -o build/app src/main.cpp\nclean:\n\trm -rf build\n",
  "src/main.cpp": '#include <cstdio>\n#include "app.h"\nint main() { std::puts("version 1"); return value(); }\n',
  "src/app.h": "#pragma once\ninline int value() { return 0; }\n",
  "build/CMakeCache.txt":
    "# For build in directory: build\nCMAKE_BUILD_TYPE:STRING=Debug\nCMAKE_HOME_DIRECTORY:INTERNAL=.\nCMAKE_CACHE_MAJOR_VERSION:INTERNAL=3\n",
  "build/compile_commands.json": '[{ "directory": ".", "command": "g++ src/main.cpp", "file": "src/main.cpp" }]\n',
}

const projects: { readonly [ecosystem: string]: Files } = { javascript, python, rust, go, java, cpp }

/** What is made by programs, where the machine has them. */
const made: { readonly [ecosystem: string]: readonly (readonly string[])[] } = {
  javascript: [
    ["tar", "-czf", "backup.tar.gz", "names.txt"],
    ["sh", "-c", "gzip -c names.txt > log.gz"],
  ],
  python: [["sqlite3", "data.db", "create table users (id, name); insert into users values (1, 'ann'), (2, 'bob');"]],
  java: [
    ["javac", "-d", "target/classes", "src/main/java/App.java"],
    ["jar", "cf", "target/app.jar", "-C", "target/classes", "."],
  ],
  cpp: [
    ["g++", "-g", "-o", "build/app", "src/main.cpp"],
    ["sh", "-c", "g++ -c -o build/app.o src/main.cpp && ar rcs build/libapp.a build/app.o"],
  ],
}

const git = (folder: string, ...argv: readonly string[]): void =>
  void Bun.spawnSync(["git", "-c", "user.name=dev", "-c", "user.email=dev@example.com", ...argv], { cwd: folder })

/** The folder for commands of an ecosystem; those about tools rather than languages share the JavaScript project. */
export function makeProject(root: string, ecosystem: string, env: Record<string, string>): string {
  const name = Object.hasOwn(projects, ecosystem) ? ecosystem : "javascript"
  const folder = join(root, ecosystem)
  for (const [path, text] of Object.entries(projects[name] ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const argv of made[name] ?? []) Bun.spawnSync([...argv], { cwd: folder, env })
  git(folder, "init", "-q", "-b", "main")
  git(folder, "config", "user.name", "dev")
  git(folder, "config", "user.email", "dev@example.com")
  git(folder, "config", "remote.origin.url", "https://example.com/app.git")
  git(folder, "config", "core.pager", "less -R")
  git(folder, "config", "core.hooksPath", ".husky")
  git(folder, "add", "README.md", "package.json")
  git(folder, "commit", "-qm", "Start")
  git(folder, "add", "-A")
  git(folder, "commit", "-qm", "Use lodash")
  git(folder, "tag", "v1.0.0")
  writeFileSync(join(folder, "new.txt"), "untracked\n")
  writeFileSync(join(folder, ".env"), "API_KEY=secret\n")
  return folder
}
