//! Paths on a small tree in memory.

use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hooks_core::fs::Entry;
use proptest::prelude::*;

use super::*;

/// Tree in which every name that is not listed is a directory, and which counts its look-ups.
#[derive(Default)]
struct Tree {
    entries: HashMap<PathBuf, (EntryKind, String)>,
    lookups: Mutex<HashMap<PathBuf, usize>>,
}

impl Tree {
    fn new(links: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, target) in links {
            tree.entries.insert(path.into(), (EntryKind::Symlink, (*target).to_owned()));
        }
        tree
    }

    fn asked_most(&self) -> usize {
        self.lookups.lock().unwrap().values().copied().max().unwrap_or(0)
    }
}

impl FileSystem for Tree {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        *self.lookups.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        if path.ends_with("forbidden") {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if path.ends_with("missing") {
            return Ok(None);
        }
        let kind = self.entries.get(path).map_or(EntryKind::Directory, |(kind, _)| *kind);
        Ok(Some(Entry { kind, names: 1 }))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.entries.get(path).map(|(_, target)| target.into()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

struct Case<'a> {
    tree: &'a Tree,
    root: &'a str,
    cwd: &'a str,
    platform: Platform,
    case_insensitive: bool,
}

impl<'a> Case<'a> {
    fn new(tree: &'a Tree) -> Self {
        Self { tree, root: "/repo", cwd: "/repo", platform: Platform::Posix, case_insensitive: false }
    }

    fn resolve(&self, path: &str) -> Result<Resolution, PathError> {
        let root = ResolvedRoot::new(self.tree, self.root, self.cwd, self.platform)?;
        self.tree.lookups.lock().unwrap().clear();
        let resolver = Resolver {
            fs: self.tree,
            root: &root,
            home: Some("/home/dev"),
            case_insensitive: self.case_insensitive,
            is_encoded: true,
        };
        resolver.resolve(path)
    }

    fn readings(&self, path: &str) -> Vec<String> {
        let resolution = self.resolve(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        resolution.readings.into_iter().map(|reading| reading.path).collect()
    }
}

#[test]
fn normal_forms() {
    let tree = Tree::default();
    let case = Case::new(&tree);
    for (path, reading) in [
        ("src/a.ts", "src/a.ts"),
        ("./src//a.ts", "src/a.ts"),
        ("/repo/./src/x/../a.ts", "src/a.ts"),
        ("src/", "src/"),
        ("src/..hidden", "src/..hidden"),
        ("src/...", "src/..."),
        ("src/[id]/$a%~.ts", "src/[id]/$a%~.ts"),
        ("src/a b.ts", "src/a b.ts"),
        ("src/..", ""),
        ("missing/x/../y", "missing/y"),
    ] {
        assert_eq!(case.readings(path), [reading], "{path}");
    }
    let web = Case { cwd: "/repo/packages/web", ..Case::new(&tree) };
    assert_eq!(web.readings("a.ts"), ["packages/web/a.ts"]);
    assert_eq!(web.readings("../../src/a.ts"), ["src/a.ts"]);
}

#[test]
fn what_leaves_the_root() {
    let tree = Tree::new(&[
        ("/repo/out", "/etc"),
        ("/repo/up", ".."),
        ("/repo/new", "/srv/missing/file"),
        ("/repo/src/link", "/etc"),
    ]);
    let case = Case::new(&tree);
    for path in [
        "../x",
        "/etc/passwd",
        "//etc/passwd",
        "/repo-evil/a",
        "src/../../x",
        "out/passwd",
        "up/x",
        "new",
        "/",
        "src/link/../src/a.ts",
    ] {
        assert!(matches!(case.resolve(path), Err(PathError::OutsideRoot { .. })), "{path}");
    }
}

#[test]
fn links_are_followed() {
    let tree = Tree::new(&[
        ("/repo/gen", "src/gen"),
        ("/repo/test/fix", "../src/fixtures"),
        ("/repo/chain", "gen"),
        ("/repo/abs", "/repo/test/fix"),
        ("/repo/src/gen/deep", "../other/missing"),
    ]);
    let case = Case::new(&tree);
    assert_eq!(case.readings("gen/a"), ["gen/a", "src/gen/a"]);
    assert_eq!(case.readings("chain"), ["chain", "src/gen"]);
    assert_eq!(case.readings("abs/a"), ["abs/a", "src/fixtures/a"]);
    assert_eq!(case.readings("gen/../a"), ["a", "src/a"]);
    assert_eq!(case.readings("gen/deep"), ["gen/deep", "src/other/missing"]);
    assert_eq!(case.readings("gen/"), ["gen/", "src/gen/"]);
}

#[test]
fn loops_and_long_chains_are_errors() {
    let tree = Tree::new(&[("/repo/loop", "loop"), ("/repo/a", "b/x"), ("/repo/b", "a/y")]);
    for path in ["loop", "loop/x", "a", "b/z"] {
        assert!(matches!(Case::new(&tree).resolve(path), Err(PathError::Loop { .. })), "{path}");
    }
}

#[test]
fn the_root_may_be_a_link() {
    let tree = Tree::new(&[("/repo", "/data/checkout")]);
    let case = Case::new(&tree);
    assert_eq!(case.readings("src/a.ts"), ["src/a.ts"]);
    assert_eq!(case.readings("/repo/src/a.ts"), ["src/a.ts"]);
    assert_eq!(case.readings("/data/checkout/src/a.ts"), ["src/a.ts"]);
}

/// A path through a link that leads to the root, or into it, is the path below the root. What leaves the root
/// behind such a link is outside.
#[test]
fn another_name_of_the_root_leads_into_it() {
    let tree = Tree::new(&[
        ("/linked", "/repo"),
        ("/other", "/linked"),
        ("/sources", "/repo/src"),
        ("/repo/alias", "src/real"),
        ("/repo/out", "/etc"),
        ("/repo/src/up", "../.."),
    ]);
    let aliased = Case { cwd: "/other/src", ..Case::new(&tree) };
    let linked = Case { root: "/linked", cwd: "/other", ..Case::new(&tree) };
    for case in [Case::new(&tree), aliased, linked] {
        for (path, readings) in [
            ("/linked/src/a", &["src/a"][..]),
            ("/other/src/a", &["src/a"]),
            ("/repo/src/a", &["src/a"]),
            ("/sources/a/../b", &["src/b"]),
            // The link itself is a reading too: a call can remove it.
            ("/other/alias", &["alias", "src/real"]),
            ("/other", &[""]),
        ] {
            assert_eq!(case.readings(path), readings, "{path}");
        }
        for path in ["/linked/out/passwd", "/other/../x", "/sources/up/x", "/sources/../x", "/elsewhere/a"] {
            assert!(matches!(case.resolve(path), Err(PathError::OutsideRoot { .. })), "{path}");
        }
    }
    let aliased = Case { cwd: "/other/src", ..Case::new(&tree) };
    assert_eq!(aliased.readings("a"), ["src/a"]);
    assert_eq!(aliased.readings("../alias"), ["alias", "src/real"]);
    assert!(matches!(aliased.resolve("../../x"), Err(PathError::OutsideRoot { .. })));
    assert!(matches!(aliased.resolve("up/x"), Err(PathError::OutsideRoot { .. })));
}

#[test]
fn decoded_and_folded_readings() {
    let tree = Tree::default();
    let case = Case::new(&tree);
    assert_eq!(case.readings("src/%61.ts"), ["src/%61.ts", "src/a.ts"]);
    assert!(case.readings("src/%2561.ts").contains(&"src/a.ts".to_owned()));
    assert!(case.readings("src\\a.ts").contains(&"src/a.ts".to_owned()));
    assert!(case.readings("ｓｒｃ/a").contains(&"src/a".to_owned()));
    for path in [
        "src/%2e%2e/%2e%2e/x",
        "src/%252e%252e/%252e%252e/x",
        "src\\..\\..\\x",
        "src/．．/．．/x",
        "%2fetc",
        "src/%ef%bc%8e%ef%bc%8e/../../x",
    ] {
        assert!(matches!(case.resolve(path), Err(PathError::OutsideRoot { .. })), "{path}");
    }
    assert!(matches!(case.resolve("src/%c0%ae%c0%ae/x"), Err(PathError::Encoding { .. })));
    assert!(matches!(case.resolve("%7E/x"), Err(PathError::Tilde { .. })));
    assert!(matches!(case.resolve("src/a%00.png"), Err(PathError::ControlCharacter { .. })));
}

#[test]
fn what_is_no_plain_path() {
    let tree = Tree::default();
    let case = Case::new(&tree);
    for path in ["~", "~/x", "~root/x"] {
        assert!(matches!(case.resolve(path), Err(PathError::Tilde { .. })), "{path}");
    }
    for path in ["$HOME/x", "${HOME}/x", "%APPDATA%/x"] {
        assert!(matches!(case.resolve(path), Err(PathError::Variable { .. })), "{path}");
    }
    for path in ["file:///x", "C:/repo/a", "vscode-remote://a/b", "C:\\x"] {
        assert!(matches!(case.resolve(path), Err(PathError::Scheme { .. })), "{path}");
    }
    for path in ["a\nb", "a\0", "src/\u{202E}x", "src/a\u{2028}", "a\u{200B}"] {
        assert!(matches!(case.resolve(path), Err(PathError::ControlCharacter { .. })), "{path:?}");
    }
    assert!(matches!(case.resolve("forbidden/x"), Err(PathError::Unreadable { .. })));
    assert!(matches!(case.resolve(&"a/".repeat(300)), Err(PathError::TooLong { .. })));
    let error = case.resolve("~/x").unwrap_err().to_string();
    assert_eq!(
        error,
        "`~/x` begins with `~`, which stands for `/home/dev`; write the path relative to the root"
    );
}

#[test]
fn special_files_are_refused() {
    let mut tree = Tree::new(&[("/repo/to", "pipe")]);
    tree.entries.insert("/repo/pipe".into(), (EntryKind::Special, String::new()));
    for path in ["pipe", "to"] {
        assert!(matches!(Case::new(&tree).resolve(path), Err(PathError::Special { .. })), "{path}");
    }
}

#[test]
fn windows_paths() {
    let tree = Tree::default();
    let case = Case {
        root: "C:\\repo",
        cwd: "C:\\repo",
        platform: Platform::Windows,
        case_insensitive: true,
        ..Case::new(&tree)
    };
    assert_eq!(case.readings("src\\a.ts"), ["src/a.ts"]);
    assert_eq!(case.readings("c:\\REPO\\src\\a.ts"), ["src/a.ts"]);
    assert!(case.readings("src/.git. /x").contains(&"src/.git/x".to_owned()));
    for path in ["D:\\x", "..\\x", "C:\\repo\\..\\x", "\\x"] {
        assert!(matches!(case.resolve(path), Err(PathError::OutsideRoot { .. })), "{path}");
    }
    for path in ["\\\\server\\share\\x", "\\\\?\\C:\\repo\\x", "\\\\.\\pipe\\x", "C:x"] {
        assert!(matches!(case.resolve(path), Err(PathError::DevicePath { .. })), "{path}");
    }
    for path in ["src\\con", "NUL.txt", "src/COM1.log", "GIT~1/config", "src/.. /x", "aux ."] {
        assert!(matches!(case.resolve(path), Err(PathError::ReservedName { .. })), "{path}");
    }
    assert!(matches!(case.resolve("a.txt:b"), Err(PathError::Stream { .. })));
}

#[test]
fn each_component_is_asked_for_once() {
    let tree = Tree::new(&[("/repo/gen", "src/gen")]);
    let case = Case::new(&tree);
    for path in ["src/a/b/c.ts", "gen/../gen/../gen/a", "src/%61/b\\c/../c"] {
        case.resolve(path).unwrap();
        assert_eq!(tree.asked_most(), 1, "{path}");
    }
    case.resolve("src/a/b.ts").unwrap();
    assert_eq!(tree.lookups.lock().unwrap().len(), 3);
}

/// Counts look-ups instead of time: links that lead back and forth do not multiply.
#[test]
fn hostile_links_are_bounded() {
    let tree = Tree::new(&[("/repo/a", "b/b/b/b"), ("/repo/b", "c/c/c/c"), ("/repo/c", "a/a/a/a")]);
    let count = Cell::new(0);
    for path in ["a/a/a/a", "%61/a\\b/ｃ"] {
        assert!(Case::new(&tree).resolve(path).is_err());
        count.set(count.get() + tree.lookups.lock().unwrap().len());
    }
    assert!(count.get() < 50);
}

proptest! {
    /// The fast path of ordinary paths finds what the general one finds.
    #[test]
    fn an_ordinary_path_has_the_readings_that_its_spellings_have(
        path in "(/repo/|/linked/|/Repo/|/repo|//)?(src|a|link|out|missing|file|\\.\\.|\\.|Ä|e\u{301}|~|\u{0}|C:|[.a-c]{1,3})([/\\\\]{1,2}(src|link|out|missing|file|\\.\\.|\\.|[.A-c]{0,3})){0,4}/?",
        named in prop_oneof![Just("/repo"), Just("/linked"), Just("/")],
        cwd in prop_oneof![Just("/repo"), Just("/repo/src"), Just("/elsewhere")],
        windows in any::<bool>(),
        case_insensitive in any::<bool>(),
    ) {
        let links = [("/repo/link", "src/sub"), ("/repo/src/link", "../x/y"), ("/repo/out", "/etc"), ("/linked", "/repo")];
        let mut tree = Tree::new(&links);
        tree.entries.insert("/repo/src/file".into(), (EntryKind::File, String::new()));
        let platform = if windows { Platform::Windows } else { Platform::Posix };
        let root = ResolvedRoot::new(&tree, named, cwd, platform).unwrap();
        let resolver = Resolver { fs: &tree, root: &root, home: None, case_insensitive, is_encoded: true };
        let whole = resolver.resolve(&path);
        if !path.is_empty() {
            prop_assert_eq!(whole, resolver.resolve_spellings(&path), "{}", path);
        }
    }

    #[test]
    fn a_reading_never_leaves_the_root_and_is_its_own_reading(
        path in "(\\PC|[./\\\\%~$:]|\\.\\./|%2e|%25|src/|link/|/repo/|/etc/|C:)*",
        windows in any::<bool>(),
    ) {
        let tree = Tree::new(&[("/repo/link", "src/sub"), ("/repo/src/sub/link", "../../x/../y")]);
        let platform = if windows { Platform::Windows } else { Platform::Posix };
        let case = Case { platform, ..Case::new(&tree) };
        if let Ok(resolution) = case.resolve(&path) {
            prop_assert!(!resolution.readings.is_empty());
            for reading in resolution.readings {
                prop_assert!(!reading.path.starts_with('/'));
                prop_assert!(reading.path.split('/').all(|name| name != ".." && name != "."));
                prop_assert!(!reading.path.contains("//"));
                // A reading that is resolved again without decoding stays the same.
                if spellings::is_plain(&reading.path, Platform::Posix) && !reading.path.is_empty() {
                    prop_assert_eq!(&case.readings(&reading.path)[0], &reading.path);
                }
            }
        }
    }
}
