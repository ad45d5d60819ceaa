//! What must not compile: the types are the first guard, and nothing else would notice if they let go.
//!
//! The messages are those of the stable compiler; where a new one words them otherwise,
//! `TRYBUILD=overwrite cargo test -p tower-hooks-core --test compile_fail` writes them anew, to be read before commit.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

#[test]
fn a_wrong_answer_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
