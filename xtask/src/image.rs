//! `cargo xtask image`: builds the image of `deploy/Dockerfile` with buildah, and tries it without a network.

use std::path::Path;

use crate::dist;
use crate::error::{Error, Result};
use crate::process::{Program, is_installed};
use crate::workspace;

/// Builds the image, and runs a decision in it.
///
/// # Errors
/// Returns an error if buildah is missing or fails, or the program in the image does not deny what its rules deny.
pub(crate) fn run() -> Result {
    if !is_installed("buildah") {
        return Err(Error::new("`buildah` is not installed (`apt-get install buildah`)"));
    }
    let program = dist::build()?;
    let folder = tempfile::tempdir()?;
    let built = tried(&program, folder.path());
    // What lies in its store belongs to other users too.
    drop(buildah(folder.path(), &["rm", "--all"]).run());
    built
}

fn tried(program: &Path, folder: &Path) -> Result {
    let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let storage = format!(
        "[storage]\ndriver = \"vfs\"\ngraphroot = {:?}\nrunroot = {:?}\n",
        place("root"),
        place("run")
    );
    std::fs::write(place(STORAGE), storage)?;
    let (context, work) = (place("context"), place("work"));
    std::fs::create_dir_all(Path::new(&context).join("state"))?;
    std::fs::create_dir_all(&work)?;
    std::fs::copy(program, Path::new(&context).join("hooks"))?;
    std::fs::write(Path::new(&work).join("hooks.yaml"), RULES)?;
    let file = workspace::root().join("deploy/Dockerfile");
    let file = file.to_string_lossy();
    buildah(folder, &["build", "--isolation", "chroot", "--tag", "hooks", "--file", &file, &context])
        .run()?;
    buildah(folder, &["from", "--pull=never", "--name", "tried", "hooks"]).run()?;
    let mount = format!("{work}:/project:ro");
    let run = ["run", "--isolation", "chroot", "--volume", &mount, "tried", "--", "/hooks"];
    let eval = buildah(folder, &[&run[..], &["eval", "-c", "/project/hooks.yaml"]].concat());
    let answered = eval.answer(CALLS.as_bytes())?;
    let answered = String::from_utf8_lossy(&answered.stdout);
    print!("{answered}");
    let decisions = answered.lines().filter_map(|line| line.split("\"decision\":").nth(1)?.split('"').nth(1));
    match decisions.eq(DECISIONS) {
        true => Ok(()),
        false => Err(Error::new(format!("the program in the image does not answer {DECISIONS:?}"))),
    }
}

/// Rules with a guard, and a limit, which needs a store.
const RULES: &str = "version: 1
command_guard: {}
limits: { calls: [{ tools: [bash], most: 1, of: session, per: session }] }
";

const CALLS: &str = r#"{"event":"pre_tool_use","at":{"session_id":"s","agent_name":"a","cwd":"/project"},"tool_name":"bash","tool_args":{"command":"rm -rf x"}}
{"event":"pre_tool_use","at":{"session_id":"s","agent_name":"a","cwd":"/project"},"tool_name":"bash","tool_args":{"command":"ls"}}
{"event":"pre_tool_use","at":{"session_id":"s","agent_name":"a","cwd":"/project"},"tool_name":"bash","tool_args":{"command":"ls"}}
"#;

const DECISIONS: [&str; 3] = ["deny", "no_opinion", "deny"];

/// Settings with which buildah keeps everything in the folder.
const STORAGE: &str = "storage.conf";

fn buildah(folder: &Path, arguments: &[&str]) -> Program {
    let storage = folder.join(STORAGE);
    Program::new("buildah", arguments.iter().copied())
        .with_variable("CONTAINERS_STORAGE_CONF", &storage.to_string_lossy())
}
