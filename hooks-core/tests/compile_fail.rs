//! Code that must not compile: the types are the first guard, and no other test would notice if they became
//! weaker.
//!
//! The expected messages are those of the stable compiler. If a new compiler words them differently,
//! `TRYBUILD=overwrite cargo test -p tower-hooks-core --test compile_fail` writes them anew; read them before
//! the commit.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

#[test]
fn a_wrong_answer_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
