//! Tests of the parser: the contents of the tree, and the cost of hostile text.

use proptest::prelude::*;

use super::*;

fn reads(text: &str) -> Script {
    read(text, Syntax::Bash).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn words(text: &str) -> Vec<String> {
    match &reads(text).pipelines[0].stages[0] {
        Command::Simple(simple) => {
            simple.words.iter().map(|word| word.literal().unwrap_or("?".into())).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn quotes_escapes_and_joined_lines() {
    assert_eq!(words(r#"'a b' "c d" e\ f r''m $'\x72\155' x"#), ["a b", "c d", "e f", "rm", "rm", "x"]);
    assert_eq!(words("r\\\nm \\\n -rf # comment"), ["rm", "-rf"]);
    assert_eq!(words("echo a#b \"$x\" '' 2"), ["echo", "a#b", "?", "", "2"]);
    let windows = read("C:\\bin\\git.exe push", Syntax::Windows).unwrap();
    assert_eq!(windows.pipelines.len(), 1);
}

#[test]
fn everything_people_write() {
    for text in [
        "a; b && c || d & e | f |& g\n\nh",
        "if a; then b; elif c; then d; else e; fi >x",
        "while a; do b; done < f | g; until a\ndo b\ndone",
        "for x in 1 2 {1..3}; do echo $x; done; for ((i=0;i<3;i++)); do a; done; for x; do b; done",
        "case $x in a|b) c;; (d) e;& *) ;; esac",
        "select x in a b; do break; done < /dev/null",
        "f() { a; }; function g { b; }; function h() (c); f",
        "(a; (b)); { c; }; ((i++)); [[ -d x && ( a < b ) || $y =~ ^a.*$ ]]",
        "! a | b; time -p c; coproc d; coproc NAME { e; }",
        "a=1 b=(x y) c+=(z) d[1]=e; declare -A m=([k]='v'); export X=1",
        "cat <<A <<'B' | x\n$(a)\nA\n$(b)\nB\ny",
        "cat <<-E\n\ttext\n\tE\nx=$(cat <<E\nin\nE\n); y",
        "a 2>&1 >f &>g 3<h <>i >|j <<<k {fd}>l >&2 2>&-",
        "echo ${x:-a} ${x//a/b} ${#x} ${!x} ${x[@]} ${x[1]} \"${x%%.*}\" $1 $@ $? $[1+2] $((1 + (2*3)))",
        "diff <(a) <(b) > >(c); echo \"$(d \"$(e)\")\" `f \\`g\\``",
        "echo $( (a); b) $((1))$( ((x)) ); echo a=b =c {} [ ] ]]",
        "if [ -f x ]; then echo y; fi; [ -n \"$x\" ] && z",
        "# only a comment",
        "",
        "echo \"${x:-\"a b\"}\" '\\'",
        "echo \"${x:-'none'}\" ${x:-'a $b'} ${x//'/'/'_'} \"${x%'.rs'}\" $(( 'a' + 1 )) ${x[$i]} ${x['key']}",
        "x[$i]=1 x[i+1]=2 x[${#x[@]}]=3 x[$((i+1))]=4; declare -A m=([a]=\"$(date)\" [b]=$(date) ['c']='d')",
    ] {
        reads(text);
    }
}

/// Shells run `id` in each of them: quotes in an expansion are text for one, and quotes for another, or the result is expanded
/// again.
#[test]
fn commands_in_the_quotes_of_an_expansion_are_found_or_refused() {
    for text in [
        "echo \"${x:-'$(id)'}\"",
        "echo \"${x:='`id`'}\"",
        "echo \"${x+'$(id)'}\"",
        "echo \"${x:-'}$(id)'}\"",
        "echo \"${x:-$'$(id)'}\"",
        "cat <<E\n${x:-'$(id)'}\nE",
        "echo \"$(( '$(id)' ))\" $(( 'a[$(id)]' ))",
        "echo $(( a[\\$(id)] ))",
        "echo \"$((x['$(id)']))\"",
        "echo ${#a[$(id)]}",
        "echo ${a[$(id)]:-x}",
        "echo ${a[$(id)]#x}",
        "echo ${a[`id`]^}",
        "echo ${!x[$(id)]}",
        "echo ${a[b[$(id)]]}",
        "echo ${a['$(id)']}",
        "echo ${HOME:'a[$(id)]'}",
        "a=(['b[$(id)]']=1)",
        "x[$(id)]=1",
        "x['$(id)']=1",
        "x['a $(id)']=1",
        "x['1;b[$(id)]']=1",
        "x['b[$(id)]\n']=1",
        "x[ $(id) ]=1",
        "x[$'\\'b[$(id)]']=1",
        "x[a; id; ]=1",
        "declare x[' b[$(id)]']=1",
        "declare x[b[0] + 'b[$(id)]']=1",
        "a=([ 'b[$(id)]' ]=1)",
        "a=(['b[$(id)]' ]=1)",
        "a=([ b['$(id)'] ]+=1)",
        "a=([b[0]+'b[$(id)]']=1)",
        "x[\"$((id);)\"]=1",
        "echo ${x:-<(id)}",
        "echo ${x->(id)}",
        "echo ${PWD#<(id)}",
        "echo \"${PWD#<(id)}\"",
        "echo ${ id; }",
        "echo ${| id; }",
        "echo ${(e):-'$(id)'}",
    ] {
        let analysis = crate::commands::Analysis::of_text(text, &crate::commands::Options::default());
        let is_found = analysis.program_names().any(|name| name == "id");
        assert!(is_found || !analysis.unresolved.is_empty(), "{text}");
    }
}

#[test]
fn what_is_not_understood_says_so() {
    for text in [
        "'",
        "\"",
        "$(",
        "`",
        "a | ",
        "(",
        "{ a",
        "if a; then b",
        "a )",
        "}",
        "fi",
        "case x in",
        "a (b",
        "${x",
        "&& a",
        "a <",
        "f( x",
    ] {
        assert!(read(text, Syntax::Bash).is_err(), "{text}");
    }
}

/// The reader counts its own steps, which is more reliable than a clock: any text is parsed or rejected
/// within a fixed multiple of its length.
#[test]
fn hostile_nesting_ends_at_once() {
    for unit in [
        "$(",
        "{ ",
        "(",
        "((",
        "$((",
        "${a:-",
        "if ",
        "[[ ( ",
        "\"$(",
        "<(",
        "while ",
        "case x in a) ",
        "f() { ",
        "a <<E\n",
        "$(cat <<E\n",
        "(( $((",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(read(&text, Syntax::Bash).is_err() || unit.contains("<<"), "{unit}");
    }
    let closed = format!("{}{}", "$(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(read(&closed, Syntax::Bash).unwrap_err().reason, Unparsed::TooDeep);
    assert_eq!(read(&"a".repeat(300_000), Syntax::Bash).unwrap_err().reason, Unparsed::TooLong);
    for unit in ["a | ", "a && ", "a ", "a; ", "$x", "'a'", "a=1 ", ">f ", "\\\n", "((1)) ; "] {
        let text = unit.repeat(100_000 / unit.len()) + "a";
        assert!(read(&text, Syntax::Bash).is_ok(), "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|\n|[$({\\[<>|&;'\"`\\\\)}\\] ]|if |do |done|case |esac|<<E\n|\\$\\(\\(|for x in )*") {
        let _ = read(&text, Syntax::Bash).is_ok();
        let _ = read(&text, Syntax::Windows).is_ok();
    }
}
