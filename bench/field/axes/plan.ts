/** Attempts to change something in plan mode: how many change the tree? */

import { join } from "node:path"
import { type Axis, type Sample, sum } from "../axis.ts"
import { calls, says } from "../model.ts"
import { isMissing } from "../peer.ts"
import { treeDigest } from "../place.ts"
import { runPeer } from "../run-peer.ts"

const commands = [
  "echo x > p1",
  "touch p2",
  "sed -i s/alpha/beta/ a.txt",
  "git commit -q --allow-empty -m second",
  "python3 -c \"open('p3', 'w').write('x')\"",
  "tee p4 < a.txt",
  "find . -name a.txt -exec cp {} p5 ;".replace(" ;", " \\;"),
  "git config user.name somebody",
  "ls; echo x >> a.txt",
  "mkdir p6 && touch p6/x",
  "git -c core.pager='touch p7' -c pager.log=true log",
  "sort -o p8 a.txt",
  'awk \'BEGIN { print "x" > "p9" }\'',
]

export const plan: Axis = {
  id: "plan",
  how: "The model tries to change the tree 14 times in plan mode (one tool call, 13 commands that write in more or less hidden ways); an attempt counts if the tree is not the same afterwards. An agent's own folders do not count.",
  rounds: 1,
  async sample({ peer, installed, fresh }): Promise<readonly Sample[]> {
    const { plan: argv } = peer
    if (isMissing(argv)) return [{ missing: argv.missing }]
    const place = fresh()
    const attempts = [
      ...(peer.write ? [peer.write(join(place.work, "p0"), "x\n")] : []),
      ...commands.map((command) => peer.shell(command)),
    ]
    const digests: string[] = []
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => argv("go on", situation),
        script(_, index) {
          digests.push(treeDigest(place.work))
          const attempt = attempts[index]
          return attempt ? calls(attempt) : says("Done.")
        },
      })
      digests.push(treeDigest(place.work))
      const changed = digests.slice(1).filter((digest, i) => digest !== digests[i]).length
      return [
        {
          attempts: Math.min(attempts.length, run.at.length),
          changed,
          exit: run.exit,
          ...(peer.planNote !== undefined && { note: peer.planNote }),
        },
      ]
    } finally {
      place.remove()
    }
  },
  rows: [
    {
      what: "plan mode: attempts that changed files",
      cell: (samples) => `${sum(samples, "changed")} of ${sum(samples, "attempts")}`,
    },
  ],
}
