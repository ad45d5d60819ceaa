//! Patterns compared with files that a call reads: single ones, and those of whole folders.

use super::super::call::Call;
use super::super::disk::{self, LeftOut};
use super::super::places::NamedPath;
use super::super::reads::ReadFile;
use super::outside::below_home;
use super::scopes::Scope;
use super::{PathPatterns, PlaceMatch};
use crate::globs::Gap;

/// Result of a comparison of patterns with a file or a folder that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadMatch {
    /// A pattern matches.
    Found(PlaceMatch),
    /// There are more files than are looked at, so any of them may match.
    TooMany,
}

impl PathPatterns {
    /// Returns the pattern that a file which a call reads matches, or that something in a folder which is read matches. Files
    /// that `except` matches do not count. The files of a folder are those on the disk; a folder that does not exist has those
    /// that patterns name from the folder on.
    pub fn find_read(&self, call: Call<'_>, read: &ReadFile<'_>, except: &Self) -> Option<ReadMatch> {
        let place = read.place;
        if self.is_empty() {
            return None;
        }
        if place.is_partial() {
            let is_counted = |found: &ReadMatch| match found {
                ReadMatch::Found(found) => !except.excepts(call, place, found),
                ReadMatch::TooMany => true,
            };
            return self.find_partial_read(call, place, except).filter(is_counted);
        }
        let found = self.find_place(call, place).or_else(|| self.find_around(call, place));
        if let Some(found) = found.filter(|found| !except.excepts(call, place, found)) {
            return Some(ReadMatch::Found(found));
        }
        if !read.is_tree(call) {
            return None;
        }
        match self.find_on_disk(call, place, "", read.left_out(), except) {
            OnDisk::Found(found) => Some(ReadMatch::Found(found)),
            OnDisk::Nothing => None,
            OnDisk::TooMany => Some(ReadMatch::TooMany),
            OnDisk::Missing => self.find_beginning_below(call, place).map(ReadMatch::Found),
        }
    }

    /// Returns whether these patterns, as exceptions, cover a place that others match.
    fn excepts(&self, call: Call<'_>, place: &NamedPath, found: &PlaceMatch) -> bool {
        if self.is_empty() {
            return false;
        }
        // A file that the disk has below a folder.
        let is_on_disk = || {
            let file = found.reading.strip_prefix('/');
            file.is_some_and(|file| self.match_absolute(call, file).is_some())
        };
        self.allow_everywhere(call, place) || is_on_disk()
    }

    /// Returns the pattern that an absolute path without its first slash matches.
    fn match_absolute(&self, call: Call<'_>, file: &str) -> Option<usize> {
        let scopes = self.scopes(call.ignores_case());
        let inside = || scopes.inside.find(&self.compared(call.root().strip(file)?, call, false));
        let home = || scopes.home.find(below_home(call, file)?);
        scopes.top.find(&self.compared(file, call, false)).or_else(inside).or_else(home)
    }

    /// A name with an unknown part is only compared as far as it is specific: `*` in any folder is any file.
    fn find_partial_read(&self, call: Call<'_>, place: &NamedPath, except: &Self) -> Option<ReadMatch> {
        let outline = place.outline()?;
        let is_deep = |c: char| Gap::from_char(c).is_some_and(Gap::is_deep);
        let scopes = self.scopes(call.ignores_case());
        let named = || {
            let all = || self.find_all_in_folder(call, place);
            self.find_named(call, place).or_else(all).map(ReadMatch::Found)
        };
        let Some((start, last)) = outline.rsplit_once(is_deep) else { return named() };
        let text = self.compared(outline, call, true);
        let of = |pattern| ReadMatch::Found(PlaceMatch { pattern, reading: outline.to_owned() });
        if let Some(pattern) = scopes.floating.names(&text) {
            return Some(of(pattern));
        }
        if outline.contains(Gap::Any.stand_in()) {
            // Of a name that begins with a variable, the known rest may be below any folder.
            let rest = self.compared(last.trim_start_matches('/'), call, true);
            let begins = outline.starts_with(Gap::Any.stand_in());
            let found = begins.then(|| scopes.home.names(&rest).or_else(|| scopes.anchored.names(&rest)));
            let found = found.flatten().or_else(|| scopes.floating.names(&rest));
            return found.map(of).or_else(named);
        }
        // What a search finds below a folder.
        let folder = start.trim_end_matches('/');
        let folder = if start.starts_with('/') && folder.is_empty() { "/" } else { folder };
        let folder = if folder.is_empty() { "." } else { folder };
        if folder.contains(|c| Gap::from_char(c).is_some()) {
            return named();
        }
        let folder = NamedPath::named(call, &place.pointer, folder.to_owned(), place.role, false);
        let is_any_name = !last.contains(|c| Gap::from_char(c).is_none());
        match self.find_on_disk(call, &folder, last, LeftOut::default(), except) {
            OnDisk::Found(found) => Some(ReadMatch::Found(found)),
            OnDisk::Nothing => None,
            OnDisk::TooMany if is_any_name => Some(ReadMatch::TooMany),
            OnDisk::TooMany | OnDisk::Missing => {
                let is_certain = |found: &PlaceMatch| !self.floats(found.pattern);
                let mut met = self.each_match(call, place, &scopes.anchored, Scope::meets);
                met.find(is_certain).map(ReadMatch::Found)
            }
        }
    }

    /// Returns a pattern that stands for everything in the folder of a name of which nothing is known: `keys/*`.
    fn find_all_in_folder(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let (folder, last) = place.outline()?.rsplit_once('/')?;
        let is_unknown = |c: char| Gap::from_char(c).is_some();
        if folder.is_empty() || folder.contains(is_unknown) || !last.chars().all(is_unknown) {
            return None;
        }
        let folder = NamedPath::named(call, &place.pointer, folder.to_owned(), place.role, false);
        self.find_around(call, &folder)
    }

    /// Looks on the disk for a file below a folder that a pattern matches.
    fn find_on_disk(
        &self,
        call: Call<'_>,
        folder: &NamedPath,
        name: &str,
        left_out: LeftOut<'_>,
        except: &Self,
    ) -> OnDisk {
        let Some(start) = folder.from_top(call).and_then(<[String]>::first) else { return OnDisk::Missing };
        let Some(below) = disk::below(call, &format!("/{}", start.trim_matches('/')), left_out) else {
            return OnDisk::Missing;
        };
        let files = below.files.iter().map(|file| file.trim_start_matches('/'));
        let mut files = files.filter(|file| name.is_empty() || disk::is_found(name, file));
        let found = files.find_map(|file| {
            let pattern = self.match_absolute(call, file)?;
            let is_excepted = !except.is_empty() && except.match_absolute(call, file).is_some();
            (!is_excepted).then(|| PlaceMatch { pattern, reading: format!("/{file}") })
        });
        match found {
            Some(found) => OnDisk::Found(found),
            None if below.is_all => OnDisk::Nothing,
            None => OnDisk::TooMany,
        }
    }
}

/// Result of a search on the disk.
enum OnDisk {
    Found(PlaceMatch),
    /// No file matches.
    Nothing,
    /// There is no such folder.
    Missing,
    /// There are too many files, or some cannot be listed.
    TooMany,
}
