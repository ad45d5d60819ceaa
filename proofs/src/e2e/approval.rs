//! The proof of `hooks approve` for a client: a person approves a call, and its agent cannot.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::clients::{Runnable, Trust};
use super::proof::{PROJECT, Results, furnish, init, says, session, shown};
use super::sandbox::Sandbox;
use super::script::{Call, Script};
use crate::error::{Error, Result};

/// A question about each use of `tee`.
const RULES: &str = "version: 1
rules:
  - { name: copies, action: ask, commands: [tee], reason: 'a person agrees first, says rule 4712' }
";

/// The call that needs an approval. It adds a line each time.
const CALL: &str = "echo line | tee -a approved.txt";

/// Shows that an approved call passes once, and that the agent approves nothing: neither by a command, nor by a
/// script that was there before, with a terminal of its own.
pub(super) fn approved(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let lines = |sandbox: &Sandbox| sandbox.text("approved.txt").lines().count();
    let run = |calls: &[String]| {
        let calls = calls.iter().cloned().map(Call::Shell).collect();
        session(client, program, &sandbox, Script { calls, ..Script::default() }, Trust::Given)
    };
    let (first, requests) = run(&[CALL.to_owned()])?;
    results.claim("a call that a person has to approve does not run", lines(&sandbox) == 0);
    let listed = person(&sandbox, hooks, &[])?;
    let Some(code) = listed.split_whitespace().find(|word| is_code(word)).map(str::to_owned) else {
        return Err(Error::new(format!("{}: no call waits: {listed}\n{}", client.client, first.stderr)));
    };
    results.claim("the model reads the code of the call", says(&requests, &format!("hooks approve {code}")));
    shown(client, &first, &requests, results);
    let hooks_path = hooks.display();
    let script = format!(
        "#!/bin/sh\n\
         '{hooks_path}' approve --yes {code} > attempts.txt 2>&1\n\
         script -qec \"'{hooks_path}' approve --yes {code}\" /dev/null >> attempts.txt 2>&1 < /dev/null\n\
         exit 0\n"
    );
    sandbox.put(&sandbox.work().join("attempt.sh"), &script)?;
    let direct = format!("'{hooks_path}' approve --yes {code} > direct.txt 2>&1");
    let (second, requests) = run(&[direct, "sh attempt.sh".to_owned(), CALL.to_owned()])?;
    let attempts = sandbox.text("attempts.txt");
    results.claim(
        "the agent cannot approve its own call, nor by a script with a terminal",
        !sandbox.has("direct.txt")
            && attempts.matches("is for people").count() == attempts.lines().count().max(1)
            && lines(&sandbox) == 0,
    );
    shown(client, &second, &requests, results);
    let answer = person(&sandbox, hooks, &["--yes", &code])?;
    let (third, requests) = run(&[CALL.to_owned(), CALL.to_owned()])?;
    let is_once = answer.contains("passes once") && lines(&sandbox) == 1;
    results.claim("a call that a person approved runs once", is_once);
    if !is_once {
        eprintln!("{answer}\n{attempts}");
    }
    shown(client, &third, &requests, results);
    Ok(())
}

fn is_code(word: &str) -> bool {
    word.len() == 9
        && word.as_bytes().get(4) == Some(&b'-')
        && word.bytes().all(|byte| !byte.is_ascii_lowercase())
}

/// Runs `hooks approve` at a terminal outside of the client. Returns what the terminal showed.
fn person(sandbox: &Sandbox, hooks: &Path, arguments: &[&str]) -> Result<String> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map_err(std::io::Error::from)?;
    grantpt(&master).and_then(|()| unlockpt(&master)).map_err(std::io::Error::from)?;
    let name = ptsname(&master, Vec::new()).map_err(std::io::Error::from)?;
    let name = name.to_string_lossy().into_owned();
    let mut child = start(sandbox, hooks, arguments, &name)?;
    let (mut shown, mut bytes, mut master) = (Vec::new(), [0; 4096], File::from(master));
    loop {
        match master.read(&mut bytes) {
            Ok(count) if count > 0 => shown.extend_from_slice(bytes.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // All programs at the terminal ended.
            Ok(_) | Err(_) => break,
        }
    }
    child.wait()?;
    Ok(String::from_utf8_lossy(&shown).into_owned())
}

/// Starts the command. The terminal is closed here, so that it ends with the command.
#[expect(clippy::disallowed_methods, reason = "the command needs a terminal")]
fn start(sandbox: &Sandbox, hooks: &Path, arguments: &[&str], terminal: &str) -> Result<Child> {
    let open = || File::options().read(true).write(true).open(terminal).map(Stdio::from);
    let home = sandbox.home();
    let mut command = Command::new(hooks);
    command.arg("approve").args(arguments).current_dir(sandbox.work()).env_clear().env("HOME", &home);
    command.env("XDG_CONFIG_HOME", home.join(".config")).env("XDG_STATE_HOME", home.join(".state"));
    Ok(command.stdin(open()?).stdout(open()?).stderr(open()?).spawn()?)
}
