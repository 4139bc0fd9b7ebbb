/** Deeds that cannot be taken back, and what is at risk. Only ever used to warn, never to allow. */

/** One entry: the program, the words that follow it in this order, and any one of the flags or operands. */
export interface Deed {
  readonly program: RegExp
  readonly words?: readonly string[]
  /** At least one of these must be given; a long flag also counts when it is shortened. */
  readonly flags?: readonly string[]
  /** At least one word must look like this. */
  readonly operand?: RegExp
  /** None of these may be given: they make it a rehearsal. */
  readonly without?: readonly string[]
  readonly what: string
  readonly risk: string
}

const uncommitted = "changes that were never committed are lost"
const history = "commits others may hold are replaced or lost"
const rows = "the data in the database is lost"

export const deeds: readonly Deed[] = [
  {
    program: /^git$/,
    words: ["reset"],
    flags: ["--hard", "--merge", "--keep"],
    what: "git reset --hard",
    risk: uncommitted,
  },
  {
    program: /^git$/,
    words: ["clean"],
    without: ["-n", "--dry-run"],
    what: "git clean",
    risk: "files git does not know are removed, and git cannot bring them back",
  },
  {
    program: /^git$/,
    words: ["checkout"],
    flags: ["--", "-f", "--force", "--ours", "--theirs"],
    what: "git checkout of files",
    risk: uncommitted,
  },
  {
    program: /^git$/,
    words: ["checkout"],
    operand: /^\.{1,2}(?:\/|$)|^:/,
    what: "git checkout of files",
    risk: uncommitted,
  },
  { program: /^git$/, words: ["restore"], without: ["--staged", "-S"], what: "git restore", risk: uncommitted },
  { program: /^git$/, words: ["restore"], flags: ["--worktree", "-W"], what: "git restore", risk: uncommitted },
  {
    program: /^git$/,
    words: ["switch"],
    flags: ["-f", "--force", "--discard-changes", "-C"],
    what: "git switch --force",
    risk: uncommitted,
  },
  {
    program: /^git$/,
    words: ["push"],
    flags: ["-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--prune"],
    what: "git push --force",
    risk: history,
  },
  { program: /^git$/, words: ["push"], operand: /^\+./, what: "git push --force", risk: history },
  {
    program: /^git$/,
    words: ["push"],
    flags: ["-d", "--delete"],
    what: "git push --delete",
    risk: "a branch or tag on the remote is removed",
  },
  {
    program: /^git$/,
    words: ["push"],
    operand: /^:./,
    what: "git push --delete",
    risk: "a branch or tag on the remote is removed",
  },
  {
    program: /^git$/,
    words: ["branch"],
    flags: ["-D", "-M", "-f", "--force"],
    what: "git branch -D",
    risk: "commits that are on no other branch are lost",
  },
  {
    program: /^git$/,
    words: ["tag"],
    flags: ["-d", "--delete", "-f", "--force"],
    what: "git tag -d",
    risk: "a tag is removed or moved",
  },
  {
    program: /^git$/,
    words: ["stash"],
    operand: /^(?:drop|clear)$/,
    what: "git stash drop",
    risk: "what was put aside is lost",
  },
  {
    program: /^git$/,
    words: ["rebase"],
    without: ["--abort", "--continue", "--skip", "--quit"],
    what: "git rebase",
    risk: "the commits of the branch are rewritten",
  },
  { program: /^git$/, words: ["filter-branch"], what: "git filter-branch", risk: history },
  { program: /^git$/, words: ["filter-repo"], what: "git filter-repo", risk: history },
  {
    program: /^git$/,
    words: ["reflog"],
    operand: /^(?:expire|delete)$/,
    what: "git reflog expire",
    risk: "the way back to older states is lost",
  },
  {
    program: /^git$/,
    words: ["gc"],
    flags: ["--prune", "--aggressive"],
    what: "git gc --prune",
    risk: "unreachable commits are lost",
  },
  { program: /^git$/, words: ["prune"], what: "git prune", risk: "unreachable commits are lost" },
  {
    program: /^git$/,
    words: ["update-ref"],
    flags: ["-d"],
    what: "git update-ref -d",
    risk: "a branch or tag is removed",
  },
  {
    program: /^git$/,
    words: ["worktree", "remove"],
    flags: ["-f", "--force"],
    what: "git worktree remove --force",
    risk: uncommitted,
  },
  {
    program: /^git$/,
    words: ["rm"],
    without: ["--cached", "-n", "--dry-run"],
    what: "git rm",
    risk: "files are removed from the working tree",
  },
  { program: /^rm$/, flags: ["-r", "-R", "--recursive"], what: "rm -r", risk: "whole folders are removed for good" },
  { program: /^find$/, flags: ["-delete"], what: "find -delete", risk: "every file that matches is removed for good" },
  { program: /^(?:shred|srm|wipe)$/, what: "overwriting files", risk: "the content cannot be brought back" },
  { program: /^truncate$/, what: "truncate", risk: "the rest of the file is lost" },
  { program: /^dd$/, operand: /^of=/, what: "dd", risk: "whatever the target holds is overwritten" },
  {
    program: /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|parted|blkdiscard)$/,
    what: "making a file system or partition",
    risk: "everything on the disk is lost",
  },
  {
    program: /^(?:chmod|chown|chgrp)$/,
    flags: ["-R", "--recursive"],
    what: "changing rights of a whole folder",
    risk: "the former rights are not kept anywhere",
  },
  {
    program: /^(?:rsync)$/,
    flags: ["--delete", "--delete-after", "--delete-before", "--remove-source-files"],
    what: "rsync --delete",
    risk: "files at the target that the source lacks are removed",
  },
  { program: /^(?:kill)$/, operand: /^-1$/, what: "kill of every process", risk: "all your programs end" },
  {
    program: /^(?:killall|pkill|skill)$/,
    what: "killing processes by name",
    risk: "programs that have nothing to do with this may end",
  },
  {
    program: /^(?:shutdown|reboot|halt|poweroff|init|telinit)$/,
    what: "stopping the machine",
    risk: "everything that runs ends",
  },
  { program: /^crontab$/, flags: ["-r"], what: "crontab -r", risk: "all scheduled jobs are removed" },
  {
    program: /^(?:iptables|ip6tables|nft|ufw)$/,
    flags: ["-F", "--flush"],
    operand: /./,
    what: "flushing firewall rules",
    risk: "the machine may become open or unreachable",
  },
  {
    program: /^(?:userdel|groupdel|deluser|delgroup)$/,
    what: "removing a user",
    risk: "the account and perhaps its files are removed",
  },
  { program: /^dropdb$/, what: "dropdb", risk: rows },
  {
    program: /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse-client|cockroach|duckdb|mongosh?|mysqladmin|bq)$/,
    operand: /\b(?:drop|truncate|delete\s+from|dropDatabase|deleteMany|remove)\b/i,
    what: "dropping or deleting in a database",
    risk: rows,
  },
  { program: /^redis-cli$/, operand: /^(?:flushall|flushdb|del|unlink)$/i, what: "redis flush", risk: rows },
  {
    program: /^(?:rails|rake|bundle)$/,
    operand: /^db:(?:drop|reset|purge|schema:load)/,
    what: "dropping the database",
    risk: rows,
  },
  {
    program: /^(?:prisma|npx|pnpm|yarn|bunx)$/,
    operand: /^(?:reset|--force-reset)$/,
    what: "resetting the database",
    risk: rows,
  },
  {
    program: /^docker$|^podman$/,
    operand: /^prune$/,
    what: "docker prune",
    risk: "stopped containers, images or volumes are removed",
  },
  {
    program: /^docker$|^podman$/,
    words: ["volume"],
    operand: /^(?:rm|remove)$/,
    what: "docker volume rm",
    risk: "the data in the volume is lost",
  },
  {
    program: /^docker$|^podman$/,
    words: ["rm"],
    what: "docker rm",
    risk: "containers and what only they hold are removed",
  },
  { program: /^docker$|^podman$/, words: ["rmi"], what: "docker rmi", risk: "images are removed" },
  {
    program: /^docker$|^podman$|^docker-compose$/,
    operand: /^down$/,
    flags: ["-v", "--volumes"],
    what: "docker compose down -v",
    risk: "the data in the volumes is lost",
  },
  {
    program: /^kubectl$|^oc$/,
    operand: /^(?:delete|drain|replace)$/,
    what: "kubectl delete",
    risk: "running services and their data may be removed",
  },
  {
    program: /^helm$/,
    operand: /^(?:uninstall|delete|rollback)$/,
    what: "helm uninstall",
    risk: "a running release is removed",
  },
  {
    program: /^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf)$/,
    operand: /^(?:-?-?destroy|apply|up|deploy)$/,
    what: "changing infrastructure",
    risk: "real machines, data and money are touched",
  },
  {
    program: /^aws$/,
    operand: /^(?:rm|rb|delete.*|terminate.*|purge.*|deregister.*)$/,
    what: "deleting at AWS",
    risk: "resources and data in the cloud are removed",
  },
  {
    program: /^(?:gcloud|az|gsutil|doctl|flyctl|fly|heroku|vercel|netlify|railway|wrangler)$/,
    operand: /(?:^|:)(?:delete|destroy|remove|rm|rb|reset|purge)$/,
    what: "deleting in the cloud",
    risk: "resources and data in the cloud are removed",
  },
  {
    program: /^(?:npm|pnpm|yarn|bun|cargo|gem|poetry|twine|uv|flit|hatch|dotnet|mvn|gradle)$/,
    operand: /^(?:publish|unpublish|yank|push|upload|deploy)$/,
    what: "publishing a package",
    risk: "the world sees it at once, and a version can hardly be taken back",
  },
  {
    program: /^gh$/,
    operand: /^(?:delete|archive|merge|close)$/,
    what: "deleting or closing on GitHub",
    risk: "others see it at once",
  },
  {
    program: /^(?:apt|apt-get|yum|dnf|pacman|brew|snap|apk)$/,
    operand: /^(?:remove|purge|autoremove|uninstall|erase|-R.*|del)$/,
    what: "removing system packages",
    risk: "other programs may need them",
  },
]
