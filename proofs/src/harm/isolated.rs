//! A network, mounts and processes of their own for the whole harness: an attack that runs without the sandbox reaches the sink and
//! nothing else, mounts nothing on the machine, and leaves no process behind.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::error::{Error, Result};

/// Variable that is set inside.
const INSIDE: &str = "HOOKS_HARM_INSIDE";

/// Brings loopback up, gives names to it, mounts memory for the worlds, and becomes the harness again.
const UP: &str = "import fcntl,os,socket,struct,subprocess,sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh', b'lo', 1))
subprocess.check_call(['mount', '-t', 'tmpfs', '-o', 'mode=1777', 'worlds', '/var/tmp'])
open('/var/tmp/hosts', 'w').write('127.0.0.1 localhost listed.test other.test\\n::1 localhost\\n')
subprocess.check_call(['mount', '--bind', '/var/tmp/hosts', '/etc/hosts'])
os.execv(sys.argv[1], sys.argv[1:])";

/// Starts this program again in namespaces of its own, unless it is in them.
///
/// # Errors
/// Returns an error if the system refuses them.
#[expect(clippy::disallowed_methods, reason = "the harness starts itself")]
pub(super) fn enter() -> Result {
    if std::env::var_os(INSIDE).is_some() {
        return Ok(());
    }
    let own = std::env::current_exe().map_err(|error| Error::new(format!("no program: {error}")))?;
    let mut unshare = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        unshare.args(["--user", "--map-current-user", "--keep-caps"]);
    }
    unshare.args(["--net", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    unshare.args(["python3", "-c", UP]).arg(own).args(std::env::args_os().skip(1));
    // It returns only if it fails.
    let error = unshare.env(INSIDE, "1").exec();
    Err(Error::new(format!("no namespaces of its own, so no attack was run: {error}")))
}

/// Word behind which `harm` starts a program without new namespaces.
pub(super) const WITHOUT_NAMESPACES: &str = "--without-namespaces";

/// The number of the call `unshare`, by which `hooks exec` makes namespaces.
#[cfg(target_arch = "x86_64")]
const UNSHARE: i64 = 272;
#[cfg(not(target_arch = "x86_64"))]
const UNSHARE: i64 = 97;

/// "Operation not permitted", as a container answers.
const NOT_PERMITTED: u32 = 1;

/// Becomes a program to which new namespaces are refused, with all that it starts.
///
/// # Errors
/// Returns an error if the kernel refuses the filter, or the program cannot be started.
#[expect(clippy::disallowed_methods, reason = "the harness starts what it is asked to")]
pub(super) fn without_namespaces(words: &[&str]) -> Result {
    let failed = |why: String| Error::new(format!("new namespaces cannot be refused: {why}"));
    let [program, arguments @ ..] = words else { return Err(failed("no program is named".to_owned())) };
    let target = std::env::consts::ARCH.try_into().map_err(|error| failed(format!("{error:?}")))?;
    let rules = BTreeMap::from([(UNSHARE, Vec::new())]);
    let refused = SeccompAction::Errno(NOT_PERMITTED);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, target);
    let filter: BpfProgram = filter.and_then(TryInto::try_into).map_err(|error| failed(error.to_string()))?;
    apply_filter(&filter).map_err(|error| failed(error.to_string()))?;
    Err(failed(Command::new(program).args(arguments).exec().to_string()))
}
