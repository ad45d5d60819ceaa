use std::path::PathBuf;

use proptest::prelude::*;

use super::super::{Pattern, Places, Rules};
use super::*;
use crate::config::SandboxConfig;

fn places() -> Places {
    Places { workspace: "/repo".into(), home: Some("/home/ada".into()), ..Places::default() }
}

fn profile(rules: Rules) -> Profile {
    Profile::new(&places(), rules, &SandboxConfig::default())
}

/// Rules with some places of secrets, as `hooks-config` fills them from its set.
fn secrets() -> Rules {
    let hidden = ["**/{.env,.env.*}", "**/.ssh/**", "~/.aws/**", "**/.netrc", "**/id_rsa"];
    Rules {
        read_deny: hidden.map(|glob| Pattern::new(glob, "a secret")).to_vec(),
        read_except: vec!["**/.ssh/known_hosts".to_owned()],
        ..Rules::default()
    }
}

#[test]
fn without_rules_the_workspace_is_open_and_secrets_are_hidden() {
    let profile = profile(secrets());
    let access = Access::new(&profile).unwrap();
    for path in ["/repo/a", "/repo/.git/index", "/repo/target/debug/x", "/home/ada/.cargo/registry/a/b"] {
        assert!(access.write(path).is_open(), "{path}");
    }
    for path in ["/etc/passwd", "/home/ada/.bashrc", "/repo/.git/config", "/repo/sub/.git/hooks/pre-commit"] {
        assert!(!access.write(path).is_open(), "{path}");
        assert!(access.read(path).is_open(), "{path}");
    }
    for path in ["/repo/.env", "/home/ada/.aws/credentials", "/srv/other/id_rsa", "/home/ada/.netrc"] {
        assert!(!access.read(path).is_open() && !access.write(path).is_open(), "{path}");
    }
    assert!(access.read("/home/ada/.ssh/known_hosts").is_open());
}

#[test]
fn what_governs_the_agents_is_closed_in_every_spelling_and_folder() {
    let own = vec!["/repo/hooks.yaml".to_owned(), "**/.claude/settings.json".to_owned()];
    let profile = profile(Rules { own, ..Rules::default() });
    let access = Access::new(&profile).unwrap();
    for path in ["/repo/hooks.yaml", "/repo/HOOKS.yaml", "/repo/target/.claude/settings.json"] {
        assert!(
            matches!(access.write(path), Answer::Closed(Some(by)) if by.why == "it governs the agents"),
            "{path}"
        );
    }
}

#[test]
fn the_section_opens_folders_and_files() {
    let config = SandboxConfig {
        write: vec!["/srv/out/".to_owned(), "~/notes".to_owned()],
        read: vec!["**/.env".to_owned()],
        ..SandboxConfig::default()
    };
    let profile = Profile::new(&places(), secrets(), &config);
    let access = Access::new(&profile).unwrap();
    for path in ["/srv/out/a", "/home/ada/notes/b", "/home/ada/notes"] {
        assert!(access.write(path).is_open(), "{path}");
    }
    assert!(access.read("/repo/.env").is_open() && !access.read("/repo/.env.local").is_open());
}

#[test]
fn variables_move_caches() {
    let mut places = places();
    places.variables.insert("CARGO_HOME".to_owned(), PathBuf::from("/srv/cargo{1}"));
    let profile = Profile::new(&places, Rules::default(), &SandboxConfig::default());
    let access = Access::new(&profile).unwrap();
    assert!(access.write("/srv/cargo{1}/registry/x").is_open());
    assert!(!access.write("/srv/cargo{1}/bin/x").is_open());
}

proptest! {
    /// The short way for a path without a name of the rules ends where the long one does.
    #[test]
    fn answers_of_a_search_are_those_of_single_questions(
        path in "(/repo|/home/ada|/home/bob|/srv)(/(src|docs|target|a|A|\\.env|\\.git|\\.ssh|\\.SSH|config|CONFIG|hooks|known_hosts)){1,4}",
        deny in prop::sample::subsequence(vec!["src/**", "**/a", "docs", "**/docs/*", "target/**"], 0..5),
    ) {
        let mut rules = secrets();
        rules.write_deny = deny.iter().map(|glob| Pattern::new(*glob, "test")).collect();
        let profile = profile(rules);
        let access = Access::new(&profile).unwrap().with_homes(["/home/bob".to_owned()]);
        let one_by_one = (access.fixed(&path), access.read(&path), access.write(&path));
        let above = access.fixed(path.rsplit_once('/').unwrap().0);
        prop_assert_eq!(access.of_entry(&path, above, true), one_by_one);
        // A file is not a folder of which nothing may be read.
        let (fixed, read, write) = access.of_entry(&path, above, false);
        prop_assert_eq!(fixed, one_by_one.0);
        if access.hides_all_in(&path).is_none() {
            prop_assert_eq!((read, write), (one_by_one.1, one_by_one.2));
        }
    }

    /// A rule never opens what another closes, and only a regenerable folder opens what a guard denies.
    #[test]
    fn closed_is_closed(
        path in "/repo(/(src|docs|target|a|\\.env|\\.git|config|hooks)){1,4}",
        deny in prop::sample::subsequence(vec!["src/**", "**/a", "docs", "**/.env", "target/**"], 0..5),
        allow in prop::option::of(prop::sample::subsequence(vec!["src/**", "docs/**", "**/a"], 0..3)),
    ) {
        let rules = Rules {
            write_allow: allow.iter().map(|all| all.iter().map(|glob| (*glob).to_owned()).collect()).collect(),
            write_deny: deny.iter().map(|glob| Pattern::new(*glob, "test")).collect(),
            ..Rules::default()
        };
        let profile = profile(rules);
        let access = Access::new(&profile).unwrap();
        let mut errors = PolicyErrors::default();
        let of = |all: &[&str], errors: &mut PolicyErrors| {
            FilePatterns::compile(&all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>(), "x", errors)
        };
        let denied = of(&deny, &mut errors).find(&path, "/repo", &[]).is_some();
        let allowed = allow.as_ref().is_none_or(|all| of(all, &mut errors).find(&path, "/repo", &[]).is_some());
        let is_product = path.split('/').rev().skip(1).any(|name| ["target", ".git"].contains(&name));
        let open = access.write(&path).is_open();
        if denied && !is_product {
            prop_assert!(!open);
        }
        if !allowed && !is_product {
            prop_assert!(!open);
        }
        let is_hidden = !access.read(&path).is_open();
        let is_below_denied = deny.iter().any(|glob| path.contains(glob.trim_matches(['*', '/'])));
        if allowed && !is_below_denied && !is_hidden && !path.contains(".git") {
            prop_assert!(open, "{path}");
        }
    }
}
