//! Values of functions and members that compute paths.

use super::value::{Form, Value, above, in_folder, last};
use super::writes::Arguments;
use super::{Change, CodeInput};
use crate::commands::access::AccessKind;
use crate::globs::Gap;

/// Most names before a call that are kept: `promises` and `writeFile` of `fs.promises.writeFile`.
const MAX_NAMES: usize = 4;

/// Returns the items of a list; of anything else, the value itself.
pub(super) fn items(value: &Value) -> Value {
    match value {
        Value::List(values) => values.iter().map(items).reduce(Value::or).unwrap_or(Value::Unknown),
        Value::Name(path) if is_number(path) => Value::text(path.concat()),
        other => other.clone(),
    }
}

fn is_number(path: &[String]) -> bool {
    matches!(path, [number] if number.parse::<u64>().is_ok())
}

/// Returns the items of a list, or the words of a text.
pub(super) fn words(value: &Value) -> Value {
    match value {
        Value::Texts(texts, form) if texts.iter().any(|text| text.contains(' ')) => {
            let words = texts.iter().flat_map(|text| text.split(' ')).map(str::to_owned);
            words.map(|word| Value::Texts(vec![word], *form)).reduce(Value::or).unwrap_or(Value::Unknown)
        }
        other => items(other),
    }
}

/// Returns a word of the command by its number, which counts the program as well; or all, as alternatives.
pub(super) fn word(words: &[String], number: Option<&Value>) -> Value {
    let at = match number {
        Some(Value::Name(number)) => number.first().and_then(|number| number.parse::<usize>().ok()),
        _ => None,
    };
    let text = |word: &String| Value::Texts(vec![word.clone()], Form::Text);
    match at.and_then(|at| at.checked_sub(1)) {
        Some(at) => words.get(at).map_or(Value::Unknown, text),
        None => words.iter().map(text).reduce(Value::or).unwrap_or(Value::Unknown),
    }
}

/// Returns the module of a name: `node:fs`, `fs/promises`, `fs-extra`.
pub(super) fn module(name: &str) -> Value {
    let name = name.strip_prefix("node:").unwrap_or(name);
    let own = match name {
        "fs-extra" => "fse",
        name => name.rsplit('/').next().unwrap_or(name),
    };
    Value::Name(vec![own.to_owned()])
}

/// Returns whether a value is the environment: `os.environ`, `process.env`, `ENV`, `$_SERVER`.
pub(super) fn is_environment(value: &Value) -> bool {
    matches!(value, Value::Name(path) if path.last().is_some_and(|last| matches!(&**last, "environ" | "env" | "ENV" | "_ENV" | "_SERVER")))
}

/// Returns the value of a variable of the environment, which is known for the user's home.
pub(super) fn variable_of_environment(name: Option<&Value>, input: &CodeInput) -> Value {
    let is_home = |name: &str| matches!(name, "HOME" | "USERPROFILE");
    let given = match name {
        Some(Value::Texts(texts, _)) => texts.first().and_then(|name| input.variables.get(name)),
        Some(Value::Name(path)) => path.last().and_then(|name| input.variables.get(name)),
        _ => None,
    };
    if let Some(text) = given {
        return Value::text(text);
    }
    match name {
        Some(Value::Texts(texts, _)) if texts.iter().all(|text| is_home(text)) => Value::text("~"),
        Some(Value::Name(path)) if path.last().is_some_and(|last| is_home(last)) => Value::text("~"),
        _ => Value::Unknown,
    }
}

/// Returns a member of a value: a property of a path, or a name in an object.
pub(super) fn member(value: &Value, name: &str) -> Value {
    match (value, name) {
        (Value::Name(_), "devnull" | "devNull") => Value::text("/dev/null"),
        (Value::Name(path), "HOME") if is_environment(&Value::Name(path.clone())) => Value::text("~"),
        (Value::Texts(..), "parent") => value.mapped(Form::Path, above),
        (Value::Texts(_, Form::Path), "name") => value.mapped(Form::Text, last),
        (Value::Name(path), _) => {
            let kept = path.get(path.len().saturating_sub(MAX_NAMES)..).unwrap_or_default();
            Value::Name(kept.iter().cloned().chain([name.to_owned()]).collect())
        }
        _ => Value::Name(vec![name.to_owned()]),
    }
}

/// Returns the arguments of `open` in Perl as those of other languages: the file, then the mode.
pub(super) fn opened_by_perl(given: Arguments) -> Arguments {
    let values = match given.values.as_slice() {
        [_, Value::Texts(texts, _)] => {
            let (mode, name) = texts.first().map_or(("", ""), |text| {
                let name = text.trim_start_matches(['+', '<', '>', '|', ' ']);
                (text.get(..text.len() - name.len()).unwrap_or_default(), name)
            });
            vec![Value::text(name), Value::text(mode.trim())]
        }
        [_, mode, file, ..] => vec![file.clone(), mode.clone()],
        _ => Vec::new(),
    };
    Arguments { values, ..given }
}

/// Returns whether a call makes a file with a name of its own.
pub(super) fn makes_file(name: &str) -> bool {
    matches!(name, "NamedTemporaryFile" | "TemporaryDirectory" | "TemporaryFile" | "mkstemp" | "mkdtemp")
}

/// Returns the file that a call makes in a folder with `dir`: `NamedTemporaryFile(dir="a")`.
pub(super) fn made_in(path: &[String], given: &Arguments) -> Vec<Change> {
    let is_one = path.last().is_some_and(|last| makes_file(last));
    let folders = given.named(&["dir"]).filter(|_| is_one).map(Value::outlines).unwrap_or_default();
    folders
        .into_iter()
        .map(|folder| (AccessKind::Changed, in_folder(&folder, &Gap::Name.stand_in().to_string())))
        .collect()
}

/// Returns whether the value of a call is exactly the one that is computed here, not only close to it: a module, or a text that a
/// shell divides in the same way.
pub(super) fn is_exact(path: &[String], given: &Arguments) -> bool {
    match path.last().map(String::as_str) {
        Some("require" | "import" | "__import__") => true,
        Some("split") if path.first().is_some_and(|first| first == "shlex") => given.values.len() == 1,
        _ => false,
    }
}

/// Returns the value of a call.
pub(super) fn value(path: &[String], object: Option<&Value>, given: &Arguments, input: &CodeInput) -> Value {
    let Some(name) = path.last().map(String::as_str) else { return Value::Unknown };
    let first = given.values.first();
    let owner = path.len().checked_sub(2).and_then(|at| path.get(at)).map(String::as_str);
    let object = object.filter(|object| object.is_file());
    match name {
        "require" | "import" | "__import__" | "import_module" => match first {
            Some(Value::Texts(texts, _)) => texts.first().map_or(Value::Unknown, |name| module(name)),
            _ => Value::Unknown,
        },
        // `"/".join([…])` of Python, `[…].join("/")` of JavaScript and Ruby.
        "join" => match (object, first) {
            (Some(Value::List(parts)), separator) => put_together(parts, separator),
            (Some(separator @ Value::Texts(..)), Some(Value::List(parts))) => {
                put_together(parts, Some(separator))
            }
            (Some(folder), _) => in_folders(std::iter::once(folder).chain(&given.values), Form::Path),
            (None, _) => in_folders(given.values.iter(), Form::Text),
        },
        "Path" | "PurePath" | "PosixPath" | "PurePosixPath" | "Pathname" | "get" | "of" | "File"
        | "joinpath"
            if object.is_some()
                || !given.values.is_empty()
                    && !matches!((name, owner), ("get" | "of", Some(owner)) if owner != "Paths" && owner != "Path") =>
        {
            in_folders(object.into_iter().chain(&given.values), Form::Path)
        }
        // `file.path` of R.
        "path" if owner == Some("file") => in_folders(given.values.iter(), Form::Text),
        "Path" => Value::path("."),
        "new" if owner == Some("Pathname") => in_folders(given.values.iter(), Form::Path),
        "resolve" | "abspath" | "realpath" | "normpath" | "expanduser" | "expand_path" | "absolute"
        | "normalize" | "as_posix" | "toString" | "to_s" | "strip" | "trim" | "str" | "String" | "fspath"
        | "fsencode" | "encode" | "sorted" | "list" | "set" | "tuple" | "iter" | "reversed" | "Array"
        | "from" | "untaint" | "split" | "normalizePath" | "cleanpath" => match (object, first) {
            (Some(object), _) => object.clone(),
            (None, Some(_)) if name == "resolve" => in_folders(given.values.iter(), Form::Text),
            (None, Some(first)) => first.clone(),
            (None, None) => Value::Unknown,
        },
        "dirname" => object.or(first).map_or(Value::Unknown, |value| value.mapped(Form::Text, above)),
        "basename" => object.or(first).map_or(Value::Unknown, |value| value.mapped(Form::Text, last)),
        "with_name" => match (object, first) {
            (Some(object), Some(name)) => object.joined(name, |path, name| in_folder(&above(path), name)),
            _ => Value::Unknown,
        },
        "with_suffix" => match (object, first) {
            (Some(object), Some(ending)) => object.joined(ending, |path, ending| {
                let own = last(path);
                let stem = own.rsplit_once('.').map_or(own.as_str(), |(stem, _)| stem);
                in_folder(&above(path), &format!("{stem}{ending}"))
            }),
            _ => Value::Unknown,
        },
        "homedir" | "home" => Value::path("~"),
        "tmpdir" | "gettempdir" => Value::text("/tmp"),
        "mkdtemp" | "mkstemp" | "mktemp" | "NamedTemporaryFile" | "TemporaryDirectory" if first.is_none() => {
            Value::text(format!("/tmp/{}", Gap::Name.stand_in()))
        }
        "getcwd" | "cwd" | "pwd" => Value::path("."),
        "getenv" | "fetch" => variable_of_environment(first, input),
        "get" if owner == Some("environ") => variable_of_environment(first, input),
        "glob" | "rglob" | "iglob" | "sync" | "listdir" | "readdirSync" | "scandir" | "iterdir" | "walk"
        | "children" | "walkSync" => listed(name, object, first),
        "range" | "xrange" | "len" | "int" | "count" | "size" => Value::text(Gap::Name.stand_in()),
        "format" => object.map_or(Value::Unknown, |text| text.mapped(Form::Text, formatted)),
        _ => Value::Unknown,
    }
}

/// Returns the files that a listing finds, as outlines.
fn listed(name: &str, object: Option<&Value>, first: Option<&Value>) -> Value {
    let (any, below) = (Gap::Name.stand_in(), Gap::Folders.stand_in());
    match (name, object, first) {
        ("rglob", Some(folder), Some(pattern)) => folder
            .joined(pattern, |folder, pattern| in_folder(folder, &format!("{below}{}", wildcards(pattern)))),
        ("glob", Some(folder), Some(pattern)) => {
            folder.joined(pattern, |folder, pattern| in_folder(folder, &wildcards(pattern)))
        }
        ("iterdir" | "children", Some(folder), _) => {
            folder.mapped(Form::Path, |folder| in_folder(folder, &any.to_string()))
        }
        ("scandir", None, Some(folder)) => {
            folder.mapped(Form::Path, |folder| in_folder(folder, &any.to_string()))
        }
        ("walk", _, Some(folder)) => {
            folder.mapped(Form::Text, |folder| in_folder(folder, &below.to_string()))
        }
        ("listdir" | "readdirSync", _, _) => Value::text(any),
        (_, _, Some(pattern)) => pattern.mapped(Form::Text, wildcards),
        _ => Value::Unknown,
    }
}

/// Returns a pattern with stand-ins for its wildcards.
fn wildcards(pattern: &str) -> String {
    let deep = Gap::Folders.stand_in().to_string();
    let pattern = pattern.replace("**/", &deep);
    pattern.chars().map(|c| if c == '*' || c == '?' { Gap::Name.stand_in() } else { c }).collect()
}

/// Returns a text with a gap for each field of `format`.
fn formatted(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        result.push_str(before);
        result.push(Gap::Any.stand_in());
        rest = behind.split_once('}').map_or("", |(_, behind)| behind);
    }
    result + rest
}

fn put_together(parts: &[Value], separator: Option<&Value>) -> Value {
    let separator = match separator {
        Some(Value::Texts(texts, _)) => texts.first().cloned().unwrap_or_default(),
        _ => ",".to_owned(),
    };
    let join = |first: &str, second: &str| format!("{first}{separator}{second}");
    parts
        .iter()
        .cloned()
        .reduce(|first, second| first.joined(&second, join))
        .unwrap_or_else(|| Value::text(""))
}

fn in_folders<'v>(parts: impl Iterator<Item = &'v Value>, form: Form) -> Value {
    let joined = parts.cloned().reduce(|first, second| first.joined(&second, in_folder));
    match joined {
        Some(Value::Texts(texts, _)) => Value::Texts(texts, form),
        _ => Value::Unknown,
    }
}
