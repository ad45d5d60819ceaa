//! A person at a terminal, outside of all clients.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::sandbox::Sandbox;
use crate::error::Result;

/// The user of a sandbox, in its project.
#[derive(Clone, Debug)]
pub(super) struct Person {
    hooks: PathBuf,
    home: PathBuf,
    work: PathBuf,
    /// Folder of the programs that `hooks` asks.
    programs: Option<PathBuf>,
}

impl Person {
    pub(super) fn new(sandbox: &Sandbox, hooks: &Path) -> Self {
        Self { hooks: hooks.to_path_buf(), home: sandbox.home(), work: sandbox.work(), programs: None }
    }

    /// The same person, with a folder before those in `PATH`.
    pub(super) fn finding(self, folder: &Path) -> Self {
        Self { programs: Some(folder.to_path_buf()), ..self }
    }

    /// Calls `hooks` at a terminal. Returns what the terminal showed.
    pub(super) fn calls(&self, arguments: &[&str]) -> Result<String> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map_err(std::io::Error::from)?;
        grantpt(&master).and_then(|()| unlockpt(&master)).map_err(std::io::Error::from)?;
        let name = ptsname(&master, Vec::new()).map_err(std::io::Error::from)?;
        let name = name.to_string_lossy().into_owned();
        let mut child = self.start(arguments, &name)?;
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
    fn start(&self, arguments: &[&str], terminal: &str) -> Result<Child> {
        let open = || File::options().read(true).write(true).open(terminal).map(Stdio::from);
        let home = &self.home;
        let mut command = Command::new(&self.hooks);
        command.args(arguments).current_dir(&self.work).env_clear().env("HOME", home);
        command.env("XDG_CONFIG_HOME", home.join(".config")).env("XDG_STATE_HOME", home.join(".state"));
        if let Some(programs) = &self.programs {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(programs.clone()).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
        }
        Ok(command.stdin(open()?).stdout(open()?).stderr(open()?).spawn()?)
    }
}
