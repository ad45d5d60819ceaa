//! `cargo xtask answer SUITE`: answers test vectors, as the machine interface of the conformance tests.
//!
//! Reads questions from stdin and writes an answer for each, as one JSON line, at once. The answers come from
//! the public API with a configuration made from the question; nothing here decides anything.

mod claude_forge;
mod compat;
mod corpora;
mod custom;
mod docker_agent;
mod effects;
mod question;
mod session;
mod strict;

use std::io::{BufRead, Write};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Answers one question; `None` if its kind is not known.
type Answerer = fn(&Value) -> Option<Value>;

/// Answers the questions of `suite` until stdin ends.
///
/// # Errors
/// Returns an error if the suite or profile is unknown, or if a stream breaks. A line that is not a question
/// is answered with an error and does not end the run.
pub(crate) fn run(suite: &str, profile: Option<&str>) -> Result {
    let answerer: Answerer = match (suite, profile) {
        ("squad", None | Some("compat")) => compat::answer,
        ("squad", Some("strict")) => strict::answer,
        ("corpora", None) => corpora::answer,
        ("corpora", Some("blocks")) => corpora::answer_by_blocks,
        ("claude-forge", None | Some("compat")) => claude_forge::answer_compat,
        ("claude-forge", Some("strict")) => claude_forge::answer_strict,
        ("docker-agent", None | Some("2026-09")) => docker_agent::answer_september,
        ("docker-agent", Some("2026-07")) => docker_agent::answer_july,
        (_, None) => {
            return Err(Error::new(format!(
                "unknown suite `{suite}`; there are `squad`, `docker-agent`, `claude-forge` and `corpora`"
            )));
        }
        (_, Some(profile)) => return Err(Error::new(format!("suite `{suite}` has no profile `{profile}`"))),
    };
    let serving = move || serve(std::io::stdin().lock(), std::io::stdout().lock(), answerer);
    let thread = std::thread::Builder::new().stack_size(question::STACK).spawn(serving)?;
    thread.join().map_err(|_| Error::new("answering panicked"))?
}

/// Flushes each answer before it reads the next question, because the caller waits for the answer.
fn serve(questions: impl BufRead, mut answers: impl Write, answerer: Answerer) -> Result {
    for line in questions.split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match question::read(&line) {
            Ok(question) => answerer(&question),
            Err(cause) => Some(json!({"error": format!("the line cannot be read: {cause}")})),
        };
        if let Some(answer) = answer {
            writeln!(answers, "{answer}")?;
            answers.flush()?;
        }
    }
    Ok(())
}

/// Polls a decision once. No registered hook waits, so the decision is ready at once.
fn finish<F: Future>(decision: F) -> F::Output {
    let mut decision = pin!(decision);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(decided) = decision.as_mut().poll(&mut context) {
            return decided;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_each_and_a_bad_line_does_not_stop_the_rest() {
        let echo: Answerer = |question| question.get("id").cloned();
        let mut answers = Vec::new();
        serve(&b"{\"id\":1}\n\nnonsense\r\n{}\n{\"id\":2}"[..], &mut answers, echo).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        let lines: Vec<_> = answers.lines().collect();
        assert_eq!((lines[0], lines[2]), ("1", "2"));
        assert!(lines[1].contains("cannot be read"), "{}", lines[1]);
    }
}
