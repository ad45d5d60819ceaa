//! Code shared by the developers' commands and the programs of `proofs/`: errors, processes, files of the
//! workspace.

pub mod error;
pub mod process;
pub mod registries;
pub mod stopwatch;
pub mod workspace;

use std::process::ExitCode;

/// Prints the error of a failed command, and returns the exit code of the program.
pub fn exit(result: error::Result) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
