//! Tests of tables.

use crate::Scrubber;

#[test]
fn columns_of_passwords() {
    for (text, wanted) in [
        ("user,password,role\njoe,winter77,admin\nann,K9#mWq!x,user\n", &["winter77", "K9#mWq!x"][..]),
        ("\"Site\";\"Password\"\r\n\"a\";\"winter;77\"\r\n", &["winter;77"]),
        ("user\tpassword\njoe\twinter77\n", &["winter77"]),
        ("+---+---+\n| user | password |\n+---+---+\n| joe | winter77 |\n+---+---+\n", &["winter77"]),
        (" user | password \n------+------\n joe | winter77\n(1 row)\n", &["winter77"]),
        (
            "INSERT INTO t (name, password, n) VALUES ('joe', 'winter77', 1), ('ann', 'K9#mWq!x', 2);",
            &["winter77", "K9#mWq!x"],
        ),
        ("COPY t (id, password) FROM stdin;\n1\twinter77\n\\.\n", &["winter77"]),
        ("-[ RECORD 1 ]---\nid       | 1\npassword | winter77\n", &["winter77"]),
        ("| Password | winter77 |\n", &["winter77"]),
        ("| password | winter77 |\n|          | xKiwi9   |\n", &["winter77", "xKiwi9"]),
        ("insert into t (name, `password`)\nvalues\n  ('joe', 'winter77');", &["winter77"]),
    ] {
        let marked =
            wanted.iter().fold(text.to_owned(), |text, word| text.replace(word, "[PASSWORD_REDACTED]"));
        assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
    }
}

/// Regression test: each row of a drawn table held back the one above it, so nothing came out before the end.
#[test]
fn a_long_table_comes_out_row_by_row() {
    let mut stream = Scrubber::all().stream();
    let mut out = 0;
    for row in 0..200 {
        let line = format!("| name{row} | a text of row {row} |\n");
        out += stream.push(&line).len();
        assert!(row < 2 || out > 0, "nothing at row {row}");
    }
    assert!(out > 199 * 20, "{out} bytes");
    let long: String = (0..4000).map(|row| format!("| name{row} | a text of row {row} |\n")).collect();
    let cut = crate::pieces::Pieces::default().next(&long, false).unwrap();
    assert!(cut.end > 60_000, "{}", cut.end);
}

#[test]
fn a_wrapped_row_is_held_back() {
    let table =
        "| a | b |\n| token | ghp_0123456789abcdefghij |\n|       | KLMNOPqrstuvwxyz         |\n| c | d |\n";
    let whole = Scrubber::all().scrub(table).into_owned();
    assert!(!whole.contains("KLMN"), "{whole}");
    for size in 1..80 {
        let mut stream = Scrubber::all().stream();
        let mut parts = String::new();
        for chunk in table.as_bytes().chunks(size) {
            parts += &stream.push(std::str::from_utf8(chunk).unwrap());
        }
        assert_eq!(parts + &stream.finish(), whole, "chunks of {size}");
    }
}

/// Regression test: a closed table without findings was read again from each row that looked like a header.
#[test]
fn a_table_without_findings_is_read_once() {
    let text = "user,password\njoe,required\nann,optional\n\nend\n";
    let table = super::read(text, 5, 13).unwrap();
    assert_eq!((table.passwords.len(), table.is_open), (0, false));
    assert_eq!(text.get(table.end..), Some("\n\nend\n"));
    // A row that is a header starts another table.
    let twice = "password,x\npassword,y\nuser,password\njoe,winter77\n";
    let first = super::read(twice, 0, 8).unwrap();
    assert_eq!(first.end, "password,x".len());
    assert_eq!(Scrubber::all().scrub(twice), twice.replace("winter77", "[PASSWORD_REDACTED]"));
}

/// Regression test: a cell ended at the first byte of a character that begins like a border.
#[test]
fn a_cell_ends_at_its_border() {
    let text = "| password | Winter77xQ |\n|          | xKiwi9€9zz |\n";
    let out = Scrubber::all().scrub(text).into_owned();
    assert!(!out.contains("9zz") && !out.contains("Kiwi"), "{out}");
}

#[test]
fn other_tables() {
    for text in [
        "user,password_changed\njoe,x77y\n",
        "| Field | Password | Note |\n|---|---|---|\n| a1 | required | b2 |\n",
        "name, password, host = f(x)\na1, b2, c3 = g(y)\n",
        "user,password\njoe,$2b$12$abcdefgh\n",
        "user,password\n\njoe,winter77\n",
        "foo(user, password)\nbar(a1, b2)\n",
    ] {
        assert_eq!(Scrubber::all().scrub(text), text);
    }
}
