//! A person at a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::World;

/// The text at the terminal, and the exit code.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) exit: i32,
    pub(super) text: String,
}

impl World {
    /// Calls the program at a terminal of its own, and types `keys`. The shell between ends at once, so that the
    /// program does not run below an agent client if these tests do.
    pub(super) fn person(&self, arguments: &[&str], variables: &[(&str, &str)], keys: &str) -> Seen {
        let program = [env!("CARGO_BIN_EXE_hooks")];
        self.at_terminal(&[&program, arguments].concat(), variables, keys)
    }

    /// Calls the program at a terminal, below a shell that is the file of an agent client.
    pub(super) fn person_below(&self, client: &str, arguments: &[&str]) -> Seen {
        // The second command keeps the shell from becoming the program.
        let program = [client, "-c", "\"$0\" \"$@\"; exit $?", env!("CARGO_BIN_EXE_hooks")];
        self.at_terminal(&[&program, arguments].concat(), &[], "")
    }

    fn at_terminal(&self, words: &[&str], variables: &[(&str, &str)], keys: &str) -> Seen {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let mut master = File::from(master);
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "(\"$@\"; echo \"exit $?\") <\"$0\" >\"$0\" 2>\"$0\" &", &name])
            .args(words)
            .current_dir(self.path("app"))
            .env_clear()
            .env("HOME", self.path("home"))
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        // A terminal ends when no process has it open, so it is held open until the program has it.
        let held = File::options().read(true).write(true).open(&name).unwrap();
        let mut shell = command.spawn().unwrap();
        master.write_all(keys.as_bytes()).unwrap();
        shell.wait().unwrap();
        let (mut text, mut bytes) = (String::new(), [0; 4096]);
        loop {
            let read = master.read(&mut bytes).unwrap();
            text.push_str(&String::from_utf8_lossy(&bytes[..read]));
            if let Some((_, exit)) = text.rsplit_once("exit ")
                && let Some(exit) = exit.strip_suffix("\r\n").and_then(|exit| exit.parse().ok())
            {
                drop(held);
                return Seen { exit, text };
            }
        }
    }
}
