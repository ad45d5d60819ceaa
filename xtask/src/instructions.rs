//! `cargo xtask instructions`: counts the instructions of each bench case and compares them with checked-in
//! counts.
//!
//! The counts come from callgrind and do not depend on how busy the machine is, so a small regression cannot
//! hide in noise. They depend a little on the compiler and the C library, so there is a tolerance, and the
//! file names the compiler's version.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::built::Built;
use crate::error::{Error, Result};
use crate::process::{Program, is_installed};
use crate::workspace;

/// The checked-in counts: a line for each case, with instructions per call and the name.
const BASELINE: &str = "benches/instructions.tsv";

/// Tolerance above the count of a case: this share of it, and a few instructions for short cases.
const TOLERANCE: f64 = 0.05;
const SLACK: f64 = 5.0;

/// Instructions per call, by case.
type Counts = BTreeMap<String, f64>;

/// Compares each case with its checked-in count.
///
/// # Errors
/// Returns an error if a case takes more instructions than its count allows, or is not in the file.
pub(crate) fn check() -> Result {
    if !is_installed("valgrind") {
        println!("SKIPPED: valgrind is not here to count; install it (`apt-get install valgrind`)");
        return Ok(());
    }
    let (compiler, known) = read_baseline(&workspace::read(BASELINE)?)?;
    let (now, counted) = (compiler_version()?, count()?);
    if compiler != now {
        println!("note: the counts are of {compiler}, this is {now}");
    }
    let mut wrong = 0;
    for (case, count) in &counted {
        let (known, verdict) = match known.get(case) {
            None => (f64::NAN, "NEW"),
            Some(known) if is_more(*count, *known) => (*known, "MORE"),
            Some(known) if is_more(*known, *count) => (*known, "less: bless it"),
            Some(known) => (*known, ""),
        };
        wrong += usize::from(matches!(verdict, "NEW" | "MORE"));
        println!("{case:<56} {count:>10.1} {known:>10.1}  {verdict}");
    }
    if wrong == 0 {
        println!("{} cases within {} % of their counts", counted.len(), TOLERANCE * 100.0);
        return Ok(());
    }
    Err(Error::new(format!(
        "{wrong} cases take more instructions than before; make them cheaper, or run `cargo xtask instructions --bless` and give the reason"
    )))
}

/// Writes the current counts to the file.
///
/// # Errors
/// Returns an error if the instructions cannot be counted.
pub(crate) fn bless() -> Result {
    let mut text = format!(
        "# instructions per call, written by `cargo xtask instructions --bless`\n# {}\n",
        compiler_version()?
    );
    for (case, count) in count()? {
        // Writing to a `String` cannot fail.
        let _infallible = writeln!(text, "{count:.1}\t{case}");
    }
    workspace::write(BASELINE, &text)?;
    print!("{text}");
    Ok(())
}

fn is_more(count: f64, than: f64) -> bool {
    count > than * (1.0 + TOLERANCE) + SLACK
}

fn read_baseline(text: &str) -> Result<(String, Counts)> {
    let compiler =
        text.lines().filter_map(|line| line.strip_prefix("# ")).find(|line| line.starts_with("rustc"));
    let mut counts = Counts::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let read =
            line.split_once('\t').and_then(|(count, case)| Some((case.to_owned(), count.parse().ok()?)));
        let (case, count) =
            read.ok_or_else(|| Error::new(format!("`{BASELINE}`: the line `{line}` is not a count")))?;
        counts.insert(case, count);
    }
    Ok((compiler.unwrap_or("an unknown compiler").to_owned(), counts))
}

fn compiler_version() -> Result<String> {
    Ok(Program::new("rustc", ["--version"]).output()?.trim().to_owned())
}

/// Counts every case in one run of callgrind, which writes a file per case.
fn count() -> Result<Counts> {
    let built = Built::for_speed()?;
    let program = built.program("counted")?;
    let folder = std::env::temp_dir().join(format!("hooks-instructions-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let counted = count_into(&folder, program);
    fs::remove_dir_all(&folder)?;
    counted
}

fn count_into(folder: &Path, binary: &str) -> Result<Counts> {
    let files = format!("--callgrind-out-file={}", folder.join("count").display());
    let marks = ["--zero-before=counted::begin*", "--dump-after=counted::batch*"];
    let callgrind = ["--tool=callgrind", "--quiet", &files].into_iter().chain(marks).chain([binary]);
    let printed = Program::new("valgrind", callgrind).output()?;
    let mut lines = printed.lines();
    let calls: f64 = lines
        .next()
        .and_then(|line| line.parse().ok())
        .ok_or_else(|| Error::new("the counted program did not print how many calls it makes"))?;
    let mut counts = Counts::new();
    for (place, case) in lines.enumerate() {
        let file = fs::read_to_string(folder.join(format!("count.{}", place + 1)))?;
        let total = file.lines().find_map(|line| line.strip_prefix("summary: ")?.trim().parse::<f64>().ok());
        let total = total.ok_or_else(|| Error::new(format!("callgrind wrote no count for `{case}`")))?;
        counts.insert(case.to_owned(), total / calls);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_are_written() {
        let (compiler, counts) =
            read_baseline("# counts\n# rustc 1.95.0\n12.5\ta case, with words\n").unwrap();
        assert_eq!((&*compiler, counts.get("a case, with words")), ("rustc 1.95.0", Some(&12.5)));
        assert!(read_baseline("12.5 a case\n").is_err());
    }

    #[test]
    fn a_regression_beyond_the_tolerance_is_more() {
        assert!(!is_more(104.0, 100.0) && is_more(111.0, 100.0) && !is_more(14.0, 10.0));
    }
}
