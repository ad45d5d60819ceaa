//! Knowledge about machines: caches, build output, sockets. It is data, in the folder `data` of this crate.

/// A folder that tools fill by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownFolder {
    /// `cache`, `product` or `git`.
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    pub(super) why: &'static str,
    /// A program that wants the folder.
    pub(super) program: Option<&'static str>,
}

fn rows(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The folders of a kind.
pub(super) fn folders(kind: &'static str) -> impl Iterator<Item = KnownFolder> {
    rows(include_str!("../../data/folders.txt")).filter_map(move |row| {
        let mut fields = row.splitn(4, '\t');
        let (Some(of), Some(name), Some(why)) = (fields.next(), fields.next(), fields.next()) else {
            return None;
        };
        (of == kind).then_some(KnownFolder { kind: of, name, why, program: fields.next() })
    })
}

/// Paths of sockets that give rights away, and who listens.
pub(super) fn sockets() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(include_str!("../../data/sockets.txt"))
        .filter_map(|row| row.strip_prefix("path\t")?.split_once('\t'))
}

/// Folders of sockets that stay visible, and who listens.
pub(super) fn kept_sockets() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(include_str!("../../data/sockets.txt"))
        .filter_map(|row| row.strip_prefix("keep\t")?.split_once('\t'))
}

/// Variables that lead to such sockets, and who listens.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(include_str!("../../data/sockets.txt"))
        .filter_map(|row| row.strip_prefix("variable\t")?.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let all = rows(include_str!("../../data/folders.txt")).count();
        let known: usize = ["cache", "product", "git"].map(|kind| folders(kind).count()).iter().sum();
        assert_eq!(known, all);
        let all = rows(include_str!("../../data/sockets.txt")).count();
        assert_eq!(sockets().count() + kept_sockets().count() + variables().count(), all);
        for kind in ["cache", "product", "git"] {
            assert!(folders(kind).all(|one| !one.why.is_empty() && one.kind == kind), "{kind}");
        }
    }
}
