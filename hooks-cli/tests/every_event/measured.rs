//! Runs the program and measures its memory and processor time.
//!
//! The kernel reports the highest memory use of any child so far. So each program is started by a process of
//! its own: this test program, run with one test that only starts the program.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, io};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::cases::Case;

/// Command that the configuration denies, by its program.
pub(super) const FORBIDDEN: &str = "sudo true";

const CONFIG: &str = "version: 1
command_guard: { block: [sudo] }
audit: {}
";

/// Memory allowed beyond twice the payload and the memory for a short payload, in bytes: 16 MB, and 12 MB for the analysis of a long
/// command and the pages of code that a build for tests has more.
const BESIDE: u64 = 28_000_000;

/// In milliseconds of the processor.
const LONGEST: i64 = 1_000;

/// Variable with the folder of a course, for the process that starts the program.
const MEASURED: &str = "HOOKS_MEASURED";

/// A project, and the payload that is sent next.
pub(super) struct Course {
    folder: tempfile::TempDir,
    /// Peak memory for a short payload, in bytes.
    base: u64,
}

/// Result of one payload.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) exit: u8,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// The most memory, in bytes.
    pub(super) peak: u64,
    /// In milliseconds of the processor.
    pub(super) took: i64,
}

impl Course {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("hooks.yaml"), CONFIG).unwrap();
        let mut course = Self { folder, base: 0 };
        let case = &super::cases::all()[0];
        course.write(&[course.placed(&case.payload).as_bytes()]);
        course.base = course.run(case).peak;
        course
    }

    /// The payload, sent from the folder of the project.
    pub(super) fn placed(&self, payload: &str) -> String {
        payload.replace("/home/ada/app", self.folder.path().to_str().unwrap())
    }

    /// Writes these parts as the payload.
    pub(super) fn write(&self, parts: &[&[u8]]) {
        let mut file = io::BufWriter::new(File::create(self.folder.path().join("payload")).unwrap());
        for part in parts {
            file.write_all(part).unwrap();
        }
        file.flush().unwrap();
    }

    pub(super) fn length(&self) -> u64 {
        fs::metadata(self.folder.path().join("payload")).unwrap().len()
    }

    /// Most memory that the payload may take, in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.base + 2 * self.length() + BESIDE
    }

    /// Answers the payload.
    pub(super) fn run(&self, case: &Case) -> Ran {
        let folder = self.folder.path();
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut measuring = Command::new(env::current_exe().unwrap());
        measuring.args(["--exact", "measured::one_program", "--ignored"]);
        measuring
            .env(MEASURED, folder)
            .env("HOOKS_CLIENT", case.client.name())
            .env("HOOKS_EVENT", case.event);
        let output = measuring.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        let text = |name: &str| String::from_utf8(read(name)).unwrap();
        let taken = text("taken");
        let mut taken = taken.split(' ');
        let mut number = || taken.next().unwrap().parse::<u64>().unwrap();
        let (exit, peak, took) = (number(), number(), number());
        Ran {
            exit: u8::try_from(exit).unwrap(),
            stdout: text("stdout"),
            stderr: text("stderr"),
            peak,
            took: took.try_into().unwrap(),
        }
    }
}

impl Ran {
    /// Panics if the run took too much memory or time.
    pub(super) fn is_within_bounds(&self, course: &Course, shown: &dyn Fn() -> String) {
        let limit = course.limit();
        assert!(self.peak <= limit, "{} bytes of memory, {limit} allowed: {}", self.peak, shown());
        assert!(self.took <= LONGEST, "{} ms of the processor: {}", self.took, shown());
    }
}

#[test]
#[ignore = "not a test: the tests of this file start it as a process, to measure the program it starts"]
fn one_program() {
    let Some(folder) = env::var_os(MEASURED).map(PathBuf::from) else { return };
    let file = |name: &str| File::create(folder.join(name)).unwrap();
    let variable = |name: &str| env::var(name).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["run", "--client", &variable("HOOKS_CLIENT"), "--event", &variable("HOOKS_EVENT")]);
    command.arg("--config").arg(folder.join("hooks.yaml")).current_dir(&folder);
    command.env_clear().env("HOME", &folder);
    command.stdin(File::open(folder.join("payload")).unwrap());
    let status = command.stdout(file("stdout")).stderr(Stdio::from(file("stderr"))).status().unwrap();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let took = (usage.user_time() + usage.system_time()).num_milliseconds();
    // The kernel counts in kilobytes.
    let taken = format!("{} {} {took}", status.code().unwrap(), usage.max_rss() * 1024);
    fs::write(folder.join("taken"), taken).unwrap();
}
