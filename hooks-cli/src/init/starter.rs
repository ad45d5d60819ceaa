//! The initial `hooks.yaml` of a project.

use std::path::Path;

use hooks::config::{Config, packs};

use super::Scope;
use super::files::{self, Change};
use crate::failure::Failure;
use crate::load;

/// Denies actions that are hard to undo, protects secrets, and asks before data leaves the machine.
const STARTER: &str = include_str!("starter.yaml");

/// Line of the first rules in which the packs of a project stand.
const PACKS: &str = "# packs: [git, docker]";

/// The rules at `path`, or the change that creates them. Existing rules must be valid, as otherwise every
/// call would be denied.
pub(super) fn at(
    path: &Path,
    scope: Scope,
    project: &Path,
) -> Result<(Option<Config>, Option<Change>), Failure> {
    if files::read(path)?.is_some() {
        return Ok((Some(load::config(path, None)?), None));
    }
    // Rules of a user or a machine govern projects that nothing is known about.
    let packs = match scope {
        Scope::Project => packs::found_in(project),
        Scope::User | Scope::Machine => packs::names().collect(),
    };
    let is_private = scope == Scope::User;
    let starter = Change { path: path.to_path_buf(), was: None, will: Some(first_rules(&packs)), is_private };
    Ok((None, Some(starter)))
}

/// Most packs in one line.
const IN_A_LINE: usize = 8;

/// The first rules, with the packs for what a project uses, or all.
fn first_rules(packs: &[&str]) -> String {
    let line = match packs {
        [] => "# packs: [git, docker]".to_owned(),
        packs if packs.len() <= IN_A_LINE => format!("packs: [{}]", packs.join(", ")),
        packs => {
            let lines = packs.chunks(IN_A_LINE).map(|some| format!("  {},\n", some.join(", ")));
            format!("packs: [\n{}]", lines.collect::<String>())
        }
    };
    STARTER.replace(PACKS, &line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_packs_of_the_project() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("main.tf"), "").unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let packs = packs::found_in(dir.path());
        assert_eq!(packs, ["git", "terraform"]);
        for (packs, wanted) in
            [(&packs[..], "\npacks: [git, terraform]\n"), (&[], "\n# packs: [git, docker]\n")]
        {
            let text = first_rules(packs);
            assert!(text.contains(wanted), "{text}");
            let schema = format!("# yaml-language-server: $schema={}\n", hooks::config::SCHEMA_ID);
            assert!(text.starts_with(&schema), "{text}");
            let path = dir.path().join("hooks.yaml");
            std::fs::write(&path, text).unwrap();
            let config = load::reader(None).read(&path).unwrap();
            assert!(config.doubts().is_empty(), "{:?}", config.doubts());
        }
    }

    #[test]
    fn it_denies_asks_and_lets_work_go_on() {
        use hooks::event::PreToolUse;
        use hooks::{Environment, HookContext, HookRequest, HooksProvider as _, Judged as _, Strength};
        use serde_json::json;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hooks.yaml");
        std::fs::write(&path, first_rules(&["git"])).unwrap();
        let hooks = load::reader(None).read(&path).unwrap().hooks();
        let environment = Environment { home: Some("/home/user".into()), ..hooks::system() };
        let context = HookContext::new("s", "a").in_dir(dir.path()).with_environment(environment);
        let judge = |tool: &str, args| {
            let event = PreToolUse::new(tool, args);
            hooks.judge_pre_tool_use(&HookRequest::new(context.clone(), event)).strength()
        };
        for (wanted, commands) in
            [(Strength::Deny, &DENIED[..]), (Strength::Ask, &ASKED[..]), (Strength::NoOpinion, &ORDINARY[..])]
        {
            let judged = |command: &&&str| judge("bash", json!({ "command": command })) != wanted;
            let wrong: Vec<_> = commands.iter().filter(judged).collect();
            assert!(wrong.is_empty(), "{wanted:?}: {wrong:#?}");
        }
        for path in [
            "/etc/sudoers.d/me",
            "/etc/cron.d/job",
            "/home/user/.bashrc",
            "/home/user/.config/autostart/a.desktop",
            "/home/user/.config/systemd/user/a.service",
            ".mcp.json",
            ".claude/agents/a.md",
        ] {
            let args = json!({ "path": path, "content": "x" });
            assert_eq!(judge("write_file", args), Strength::Ask, "{path}");
        }
    }

    const DENIED: [&str; 8] = [
        "git push --force",
        "git reset --hard",
        "git gc --prune=now",
        "rm -rf src",
        "dd if=a of=/dev/sda",
        "pkill hooks",
        "kill $(pgrep hooks)",
        "cat .env",
    ];

    const ASKED: [&str; 32] = [
        "sudo df -h",
        "pkexec id",
        "run0 id",
        "runuser -u root id",
        "setpriv --reuid=0 id",
        "systemd-run --uid=0 id",
        "machinectl shell root@",
        "su -c id",
        "doas id",
        "git restore README.md",
        "git stash drop",
        "git branch -f main HEAD~3",
        "git checkout -B main origin/main",
        "git switch -C main origin/main",
        "git update-ref refs/heads/main HEAD~3",
        "git reset --keep HEAD~1",
        "git config core.sshCommand ./x",
        "git -c core.hooksPath=/dev/null commit -m x",
        "git -c core.fsmonitor=./x status",
        "git config alias.x '!x'",
        "rm -rf lib",
        "truncate -s0 src/main.rs",
        "shred src/main.rs",
        ": > src/main.rs",
        "echo x >> ~/.zshrc",
        "echo x | crontab -",
        "systemctl --user enable x",
        "git push origin main",
        "npm publish",
        "twine upload dist/*",
        "cp .env.example .env",
        "$TOOL x",
    ];

    const ORDINARY: [&str; 15] = [
        "git commit --amend --no-edit",
        "git restore --staged README.md",
        "git checkout -b topic",
        "git -c core.pager=cat log",
        "git gc",
        "rm -rf node_modules dist",
        "truncate -s 0 logs/dev.log",
        "echo x > src/main.rs",
        "crontab -l",
        "npm publish --dry-run",
        "cargo publish --dry-run",
        "git push --dry-run",
        "twine check dist/*",
        "pkill -f vite",
        "cat ~/.bashrc",
    ];

    #[test]
    fn it_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hooks.yaml");
        std::fs::write(&path, STARTER).unwrap();
        let config = load::reader(None).read(&path).unwrap();
        assert!(config.doubts().is_empty(), "{:?}", config.doubts());
    }
}
