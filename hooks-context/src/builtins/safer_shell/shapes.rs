//! The shapes of commands that `safer_shell` knows.

/// The risk of a command, from the least to the greatest.
///
/// An unknown risk counts more than a known medium one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Radius {
    Safe,
    Low,
    Medium,
    Unknown,
    High,
}

impl Radius {
    /// The word of the risk in metadata.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::Unknown => "unknown",
            Self::High => "high",
        }
    }
}

/// Shapes of commands with the same risk: `<name>` is a word, and `...` any text.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) radius: Radius,
    pub(super) category: &'static str,
    pub(super) shapes: &'static [&'static str],
}

const fn shapes(radius: Radius, category: &'static str, shapes: &'static [&'static str]) -> Shapes {
    Shapes { radius, category, shapes }
}

/// Commands that destroy or overwrite something.
pub(super) const HARMFUL: &[Shapes] = &[
    shapes(
        Radius::High,
        "fs-delete",
        &[
            "rm -rf <path>",
            "rm -r <path>",
            "rm -R <path>",
            "find <path> -delete",
            "find <path> -exec rm {} \\;",
            "Remove-Item ...-Recurse",
        ],
    ),
    shapes(Radius::Medium, "fs-delete", &["rm -f <single-file>", "Remove-Item ...-Force"]),
    shapes(Radius::Low, "fs-delete", &["rm <single-file>", "rmdir <path>", "Remove-Item <path>"]),
    shapes(Radius::High, "fs-secure-delete", &["shred <file>", "shred -u <file>"]),
    shapes(Radius::High, "fs-overwrite", &["dd if=/dev/zero of=<file>"]),
    shapes(Radius::Medium, "fs-overwrite", &["> <file>", "truncate -s 0 <file>", "Clear-Content ..."]),
    shapes(
        Radius::High,
        "block-device",
        &["dd if=... of=/dev/<disk>", "mkfs.<fs> <device>", "mkfs -t <fs> <device>", "wipefs <device>"],
    ),
    shapes(Radius::High, "fs-modify", &["cp -rf <src> <existing-dst>", "rsync --delete <src> <dst>"]),
    shapes(
        Radius::Medium,
        "fs-modify",
        &[
            "mv -f <src> <existing-dst>",
            "mv <src> <existing-dst>",
            "cp -f <src> <existing-dst>",
            "ln -sf <target> <existing>",
            "sed -i",
        ],
    ),
    shapes(Radius::Medium, "fs-permissions", &["chmod -R 000 <path>", "chown -R <user> <path>"]),
    shapes(Radius::Low, "fs-permissions", &["chmod -R 777 <path>"]),
    shapes(
        Radius::High,
        "git-discard",
        &[
            "git reset --hard",
            "git checkout -- <path>",
            "git checkout .",
            "git restore .",
            "git clean -f",
            "git clean --force",
            "git clean -fd",
            "git clean -df",
            "git clean -fx",
            "git clean -xf",
            "git clean -fdx",
            "git clean -fxd",
            "git clean -dfx",
            "git clean -dxf",
            "git clean -xfd",
            "git clean -xdf",
            "git stash clear",
        ],
    ),
    shapes(Radius::Medium, "git-discard", &["git restore <path>", "git stash drop"]),
    shapes(
        Radius::Medium,
        "git-history",
        &["git push -f", "git push --force-with-lease", "git push --force", "git branch -D <name>"],
    ),
    shapes(
        Radius::High,
        "dk-volume-del",
        &[
            "docker volume rm <name>",
            "docker volume prune -a",
            "docker volume prune --all",
            "docker volume prune -af",
            "docker volume prune -fa",
        ],
    ),
    shapes(
        Radius::Medium,
        "dk-volume-del",
        &["docker volume prune", "docker volume prune -f", "docker volume prune --force"],
    ),
    shapes(
        Radius::High,
        "dk-container-del",
        &[
            "docker container rm -v <id>",
            "docker rm -v <id>",
            "docker rm -f <id>",
            "docker rm --force <id>",
            "docker container rm -f <id>",
            "docker container rm --force <id>",
            "docker rm -fv <id>",
            "docker rm -vf <id>",
            "docker rm -f -v <id>",
        ],
    ),
    shapes(
        Radius::Medium,
        "dk-container-del",
        &["docker container rm <id>", "docker rm <id>", "docker container prune"],
    ),
    shapes(
        Radius::Medium,
        "dk-image-del",
        &["docker image rm <id>", "docker rmi <id>", "docker image prune -a", "docker image prune --all"],
    ),
    shapes(Radius::Low, "dk-image-del", &["docker image prune"]),
    shapes(Radius::Medium, "dk-network-del", &["docker network rm <name>", "docker network prune"]),
    shapes(
        Radius::High,
        "dk-multi-del",
        &[
            "docker system prune -a",
            "docker system prune --all",
            "docker system prune --volumes",
            "docker system prune ...--volumes",
        ],
    ),
    shapes(Radius::Medium, "dk-multi-del", &["docker system prune"]),
    shapes(
        Radius::High,
        "dk-build-cache",
        &[
            "docker buildx prune --all",
            "docker buildx prune -a",
            "docker builder prune -a",
            "docker builder prune --all",
        ],
    ),
    shapes(Radius::Medium, "dk-build-cache", &["docker buildx prune", "docker builder prune"]),
    shapes(
        Radius::High,
        "dk-compose",
        &[
            "docker compose down -v",
            "docker compose down --volumes",
            "docker compose down ...-v",
            "docker compose down ...--volumes",
            "docker compose rm -v <svc>",
        ],
    ),
    shapes(Radius::Medium, "dk-compose", &["docker compose down", "docker compose rm -f"]),
    shapes(Radius::Low, "dk-context", &["docker context rm <name>"]),
    shapes(Radius::Medium, "dk-plugin", &["docker plugin rm <name>"]),
    shapes(Radius::Low, "dk-runtime", &["docker stop <id>", "docker kill <id>"]),
    shapes(Radius::High, "dk-exec-host", &["docker exec <ctr> rm -rf <bind-mount-path>"]),
    shapes(
        Radius::High,
        "sql-drop",
        &[
            "mysql ...drop database",
            "mysql ...drop schema",
            "mysql ...drop table",
            "mariadb ...drop database",
            "mariadb ...drop schema",
            "mariadb ...drop table",
            "psql ...drop database",
            "psql ...drop schema",
            "psql ...drop table",
            "sqlite3 ...drop database",
            "sqlite3 ...drop schema",
            "sqlite3 ...drop table",
        ],
    ),
    shapes(
        Radius::High,
        "sql-truncate",
        &[
            "mysql ...truncate table",
            "mariadb ...truncate table",
            "psql ...truncate table",
            "sqlite3 ...truncate table",
        ],
    ),
    shapes(
        Radius::Medium,
        "sql-delete",
        &["mysql ...delete from", "mariadb ...delete from", "psql ...delete from", "sqlite3 ...delete from"],
    ),
    shapes(
        Radius::High,
        "app-reset",
        &[
            "rails db:drop",
            "rails db:reset",
            "rails db:schema:load",
            "manage.py flush",
            "prisma migrate reset",
            "sequelize db:drop",
        ],
    ),
    shapes(Radius::High, "kv-flush", &["redis-cli ...flushall", "redis-cli ...flushdb"]),
];

/// Commands that only read.
pub(super) const HARMLESS: &[Shapes] = &[
    shapes(
        Radius::Safe,
        "fs-read",
        &[
            "ls",
            "ls <path>",
            "ls -<flags>",
            "ls -<flags> <path>",
            "cat <file>",
            "head <file>",
            "head -n <n> <file>",
            "tail <file>",
            "tail -n <n> <file>",
            "pwd",
            "stat <file>",
            "file <file>",
            "wc <file>",
            "wc -l <file>",
            "df",
            "df -h",
            "du -sh <path>",
            "tree",
            "tree <path>",
        ],
    ),
    shapes(Radius::Safe, "text-read", &["grep ...", "rg ...", "sort <file>", "uniq <file>"]),
    shapes(
        Radius::Safe,
        "proc-read",
        &[
            "ps",
            "ps -<flags>",
            "ps aux",
            "top -n 1",
            "whoami",
            "hostname",
            "uname",
            "uname -<flags>",
            "date",
            "env",
            "printenv",
            "printenv <var>",
            "which <cmd>",
            "type <cmd>",
        ],
    ),
    shapes(
        Radius::Safe,
        "git-read",
        &[
            "git status",
            "git status ...",
            "git diff",
            "git diff ...",
            "git log",
            "git log ...",
            "git show",
            "git show ...",
            "git branch",
            "git remote",
            "git remote -v",
            "git rev-parse ...",
            "git config --list",
            "git config --get <key>",
            "git blame <file>",
        ],
    ),
    shapes(
        Radius::Safe,
        "dk-read",
        &[
            "docker ps",
            "docker ps ...",
            "docker images",
            "docker images ...",
            "docker inspect <target>",
            "docker inspect ...",
            "docker logs <ctr>",
            "docker logs ...",
            "docker stats --no-stream",
            "docker top <ctr>",
            "docker version",
            "docker info",
            "docker system df",
        ],
    ),
    shapes(
        Radius::Safe,
        "k8s-read",
        &[
            "kubectl get ...",
            "kubectl describe ...",
            "kubectl logs ...",
            "kubectl top ...",
            "kubectl version",
            "kubectl version ...",
            "kubectl config view",
        ],
    ),
    shapes(Radius::Safe, "io", &["echo", "echo ...", "printf ...", "basename <path>", "dirname <path>"]),
];
