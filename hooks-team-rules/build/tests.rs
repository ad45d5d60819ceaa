//! The form of a table: every mistake is found with its line, and the Rust of the rows is as written here.

use super::Table;

fn mistakes(text: &str) -> Vec<String> {
    Table::read(text).err().unwrap_or_default()
}

fn rust(text: &str) -> Vec<(String, String)> {
    Table::read(text).expect("the table is correct").rust()
}

const LISTS: &str =
    "# Two lists.\n#! columns list:list(a|b) word:key\n#! sorted a\n#! example a {}\n#! example b {} x\n";

#[test]
fn a_wrong_row_is_found_with_its_line() {
    for (rows, mistake) in [
        ("a\tx\nb\ty\textra\nb\tz\n", "7: expected 2 columns, found 3"),
        ("a\tx\nb\ty\nc\tz\n", "8: unknown list `c`; expected one of a, b"),
        ("a\tx\nb\ty\na\tx\n", "8: duplicate key `x`; line 6 has it"),
        ("a\tx\nb\ty\na\tw\n", "8: `w` is after `x`; sort the rows by bytes"),
        ("a\tx\nb\t-\n", "7: `` is not a valid word: the kind is Key"),
        ("a\tx\nb\t y\nb\tz\n", "7: `word` has a space too many: ` y`"),
        ("a\tx\n", "1: the list `b` has no row"),
    ] {
        assert_eq!(mistakes(&format!("{LISTS}{rows}")), [mistake], "{rows:?}");
    }
}

#[test]
fn a_wrong_cell_is_found_with_its_line() {
    let head = "#! columns name:keys flag:flag count:count kind:one(X|Y) pairs:pairs\n#! example {}\n";
    for (row, mistake) in [
        ("a\tmaybe\t1\tX\t-\n", "3: `maybe` is not a valid flag: the kind is Flag"),
        ("a\tyes\tone\tX\t-\n", "3: `one` is not a valid count: the kind is Count"),
        ("a\tyes\t1\tZ\t-\n", "3: unknown kind `Z`; expected one of X, Y"),
        ("a\tyes\t1\tX\tb\n", "3: `b` is not a valid pairs: the kind is Pairs"),
        ("a, a\tyes\t1\tX\t-\n", "3: duplicate key `a`; line 3 has it"),
    ] {
        assert_eq!(mistakes(&format!("{head}{row}")), [mistake], "{row:?}");
    }
}

#[test]
fn a_wrong_form_is_found_with_its_line() {
    for (form, mistake) in [
        ("#! colums a:key\n", "1: unknown directive `colums a:key`"),
        ("#! columns a:keys b\n", "1: expected `NAME:KIND`, found `b`"),
        ("#! columns a:number\n", "1: unknown kind `number`"),
    ] {
        assert!(mistakes(form).contains(&mistake.to_owned()), "{form:?}: {:?}", mistakes(form));
    }
    let row = "#! columns a:key\nx\n";
    assert_eq!(mistakes(row), ["2: the row has no example with `{}` for its key"]);
    assert!(mistakes(&format!("{LISTS}#! sorted c\n")).contains(&"6: unknown list `c`".to_owned()));
}

#[test]
fn cells_and_examples_are_found() {
    let form = "#! columns name:key long:words own:example\n#! example run {}\n";
    let table = Table::read(&format!("{form}a\tx, y\t-\nb\t-\tstop {{}}\n")).expect("the table is correct");
    let [a, b] = table.rows() else { panic!("there are two rows") };
    assert_eq!((table.words(a, "long"), table.words(b, "long")), (vec!["x", "y"], vec![]));
    assert_eq!((table.example(a), table.example(b)), ("run {}", "stop {}"));
}

#[test]
fn rows_become_rust() {
    let lists = rust(&format!("{LISTS}a\tdon't\nb\ty\nb\tx\n"));
    let [a, b] = ["&[\n\"don't\"\n]\n", "&[\n\"y\",\n\"x\"\n]\n"];
    assert_eq!(lists, [("a".to_owned(), a.to_owned()), ("b".to_owned(), b.to_owned())]);

    let tuple = rust("#! columns name:key kind:one(X|Y) more:pairs\n#! example {}\na\tX\tb=c, d=e\n");
    assert_eq!(tuple[0].1, "&[\n(\"a\", X, &[(\"b\", \"c\"), (\"d\", \"e\")])\n]\n");

    let head =
        "#! columns names:keys short:text long:words yes:flag n:count\n#! example {}\n#! shape match\n";
    let matched = rust(&format!(
        "{head}#! row {{names|}} => Some(({{short}}, {{long}}, {{yes}}, {{n}}))\na, b\tx\t-\tyes\t2\n"
    ));
    assert_eq!(matched[0].1, "match name {\n\"a\" | \"b\" => Some((\"x\", &[], true, 2)),\n_ => None,\n}\n");

    let matches = rust("#! columns word:key\n#! shape matches\n#! example {}\na\nb\n");
    assert_eq!(matches[0].1, "matches!(word, \"a\" | \"b\")\n");
}
