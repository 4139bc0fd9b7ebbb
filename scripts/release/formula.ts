/** A formula for Homebrew, which downloads the archive of its platform and checks it. */

import { license } from "../../package.json"
import type { Target } from "./targets.ts"

/** `archives`: a digest for each target there is. */
export function formula(
  source: string,
  version: string,
  archives: readonly { readonly target: Target; readonly file: string; readonly digest: string }[],
): string {
  const block = (platform: Target["platform"], named: string): string => {
    const lines = archives
      .filter(({ target }) => target.platform === platform && target.libc !== "musl")
      .map(
        ({ target, file, digest }) => `    on_${target.arch === "arm64" ? "arm" : "intel"} do
      url "${source}/${version}/${file}"
      sha256 "${digest}"
    end
`,
      )
    return lines.length === 0 ? "" : `  on_${named} do\n${lines.join("")}  end\n\n`
  }
  return `class Codewright < Formula
  desc "Coding agent that reads, plans, edits, runs and verifies"
  homepage "${source}"
  version "${version}"
  license "${license}"

${block("darwin", "macos")}${block("linux", "linux")}  def install
    bin.install "codewright"
    bin.install_symlink "codewright" => "cw"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/codewright --version")
  end
end
`
}
