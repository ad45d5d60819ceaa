//! A configuration outside of the project that it governs.

use super::*;

#[test]
fn the_policies_of_the_projects_team_count_also_if_the_rules_are_the_users() {
    let world = World::new("");
    world.write("home/.config/hooks/hooks.yaml", "version: 1\n");
    let push = || world.claude("Bash", &json!({"command": "git push"}));
    push().is_silent();
    world.write("app/.squad/policies/team.yaml", "blockedCommands: [git push]\n");
    // The rules changed since the session began, which a person has to confirm.
    push().says("the rules changed since this session began");
    world.sessions_begin();
    push().says("git push");
    // The other subcommands read the same rules.
    let options =
        ["-c", "../home/.config/hooks/hooks.yaml", "--tool", "bash", "--args", r#"{"command": "git push"}"#];
    let explained = world.program("explain", &options, "");
    explained.says("deny");
    world.write("app/.squad/policies/team.yaml", "blockedCommand: [git push]\n");
    let checked = world.program("check", &["../home/.config/hooks/hooks.yaml"], "");
    assert_eq!(checked.exit, Some(1), "{checked:?}");
    checked.says("team.yaml");
    world.sessions_begin();
    push().says("team.yaml");
}

#[test]
fn a_section_that_names_a_missing_folder_of_a_team_is_a_mistake() {
    let world = World::new("version: 1\ndecisions: { team: typo }\n");
    let checked = world.program("check", &["hooks.yaml"], "");
    assert_eq!(checked.exit, Some(1), "{checked:?}");
    checked.says("`typo` is not a folder in");
    fs::create_dir(world.folder.path().join("app/typo")).unwrap();
    assert_eq!(world.program("check", &["hooks.yaml"], "").exit, Some(0));
}
