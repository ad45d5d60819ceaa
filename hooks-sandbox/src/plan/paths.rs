//! Paths in JSON: a text, or the bytes of a path that is not UTF-8.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The text that patterns are compared with. Bytes that are not UTF-8 are replaced, so that a wildcard matches them.
pub(super) fn text(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

fn written(path: &Path) -> Written {
    path.to_str().map_or_else(|| Written::Bytes(bytes(path)), |text| Written::Text(text.to_owned()))
}

#[cfg(unix)]
fn bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn bytes(path: &Path) -> Vec<u8> {
    text(path).into_owned().into_bytes()
}

impl From<Written> for PathBuf {
    #[cfg(unix)]
    fn from(written: Written) -> Self {
        use std::os::unix::ffi::OsStringExt;
        match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => std::ffi::OsString::from_vec(bytes).into(),
        }
    }

    #[cfg(not(unix))]
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        }
    }
}

/// One path.
pub(super) mod one {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Written, written};

    pub(in super::super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        written(path).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Written::deserialize(from).map(PathBuf::from)
    }
}

/// A path that may be missing.
pub(super) mod option {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Written, written};

    pub(in super::super) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_deref().map(written).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Written>::deserialize(from)?.map(PathBuf::from))
    }
}

/// A list of paths.
pub(super) mod list {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Written, written};

    pub(in super::super) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| written(path)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<Written>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}
