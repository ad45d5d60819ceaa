//! Compares names of packages, modules and images with a library that a decision names.

use super::index::literal;
use super::tables;

/// A library or technology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// Names of packages and modules, folded.
    names: Vec<String>,
    images: Vec<String>,
    hosts: Vec<String>,
}

/// Beginnings of the names of packages that connect a library to another one.
const CONNECTORS: &[&str] = &[
    "@types/",
    "types-",
    "react-",
    "vue-",
    "ng-",
    "ngx-",
    "angular-",
    "ts-",
    "babel-",
    "babel-plugin-",
    "django-",
    "flask-",
    "fastapi-",
    "jest-",
    "next-",
    "nuxt-",
    "gulp-",
    "grunt-",
    "eslint-plugin-",
    "eslint-config-",
    "node-",
    "go-",
    "py",
    "python-",
    "python3-",
    "ruby-",
    "rust-",
    "spring-",
    "spring-boot-starter-",
    "pytest-",
    "karma-",
    "vite-plugin-",
    "rollup-plugin-",
    "webpack-",
    "lib",
    "karma-",
    "hapi-",
    "koa-",
    "express-",
    "fastify-",
    "connect-",
    "svelte-",
    "ember-",
    "gatsby-plugin-",
    "aws-sdk-",
    "tokio-",
    "async-",
    "types/",
];

/// First parts of the namespaces of Java packages.
const TOP_LEVEL: &[&str] = &[
    "org", "com", "io", "net", "dev", "de", "ch", "fr", "uk", "nl", "kotlinx", "jakarta", "javax", "co",
    "app", "me", "edu",
];

impl Library {
    /// Creates the library called `name`.
    pub(super) fn new(name: &str) -> Self {
        let lower = name.trim().to_lowercase();
        let lower = lower.trim_end_matches("/*");
        let known = tables::technology(lower)
            .or_else(|| tables::technology(lower.strip_suffix(".js").unwrap_or(lower)));
        let mut names: Vec<String> =
            known.map_or(&[][..], |known| known.packages).iter().map(|one| folded(one)).collect();
        // A technology whose packages are listed is not itself a package of that name, unless it is listed.
        if known.is_none() {
            names.push(folded(lower));
            names.push(folded(&lower.replace(' ', "-")));
            if let Some(short) = lower.strip_prefix("python-").or_else(|| lower.strip_suffix(".js")) {
                names.push(folded(short));
            }
        } else if !lower.contains(' ') {
            names.push(folded(lower));
        }
        names.sort();
        names.dedup();
        let images = known.map_or_else(
            || vec![folded(lower)],
            |known| known.images.iter().map(|one| folded(one)).collect(),
        );
        let hosts =
            known.map_or(&[][..], |known| known.hosts).iter().map(|host| (*host).to_owned()).collect();
        Self { names, images, hosts }
    }

    /// Whether a package, module or namespace belongs to the library.
    pub(super) fn has(&self, package: &str) -> bool {
        let package = folded(package.trim());
        !package.is_empty() && self.names.iter().any(|name| is_of(name, &package))
    }

    /// Whether a package is exactly the one of the library, or a part of it.
    pub(super) fn is(&self, package: &str) -> bool {
        let package = folded(package.trim());
        self.names.iter().any(|name| package == *name || below(name, &package))
    }

    /// Whether another library has a path below a name of this one.
    pub(super) fn contains(&self, other: &Self) -> bool {
        let is_inner = |inner: &String| {
            self.names.iter().any(|name| {
                inner.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['/', '.', ':', '\\']))
            })
        };
        other.names.iter().any(is_inner)
    }

    /// Returns texts of which a package, an image or an address of the library has one.
    pub(super) fn keys(&self) -> Option<Vec<String>> {
        let names = self.names.iter().chain(&self.hosts).map(String::as_str);
        let images = self.images.iter().map(|image| image.split(':').next().unwrap_or(image));
        names.chain(images).map(literal).collect()
    }

    /// Whether a package of the library begins so.
    pub(super) fn may_be(&self, beginning: &str) -> bool {
        let beginning = folded(beginning.trim());
        self.names
            .iter()
            .any(|name| name.starts_with(&beginning) || is_of(name, beginning.trim_end_matches('-')))
    }

    /// Whether a container image is one of the library's.
    pub(super) fn has_image(&self, image: &str) -> bool {
        let image = folded(image.trim());
        let image = image.split('@').next().unwrap_or_default();
        let (path, tag) = match image.rsplit_once(':') {
            Some((path, tag)) if !tag.contains('/') => (path, tag),
            _ => (image, ""),
        };
        let is_named = |name: &String| {
            if let Some((own, version)) = name.split_once(':') {
                let number = tag.split('-').next().unwrap_or_default();
                return path.split('/').next_back() == Some(own)
                    && (number == version || number.starts_with(&format!("{version}.")));
            }
            path.split('/').any(|part| {
                part == name || part.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('-'))
            }) || path.ends_with(&format!("/{name}"))
                || tag
                    .split('-')
                    .any(|part| part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == name)
        };
        self.images.iter().any(is_named)
    }

    /// Whether a browser that loads `url` loads the library.
    pub(super) fn has_url(&self, url: &str) -> bool {
        let url = folded(url.trim());
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let path = path.split_once("://").map_or(path, |(_, rest)| rest).trim_start_matches('/');
        self.hosts.iter().any(|host| match host.contains('/') {
            true => path.starts_with(host.as_str()),
            false => path.split('/').next().is_some_and(|first| first.contains(host.as_str())),
        }) || self.names.iter().any(|name| {
            path.split('/').any(|part| {
                let part = part.trim_start_matches("npm:");
                part.strip_prefix(name.as_str()).is_some_and(|rest| {
                    rest.is_empty()
                        || rest.starts_with('@')
                        || rest.starts_with(".min.")
                        || [".js", ".css", ".mjs"].contains(&rest)
                        || rest.starts_with('.')
                        || rest.strip_prefix('-').is_some_and(|rest| {
                            let rest = rest.split(".min.").next().unwrap_or(rest);
                            let rest = rest.trim_end_matches(".js").trim_end_matches(".css");
                            is_part(rest.split('@').next().unwrap_or(rest))
                                || rest.starts_with(|c: char| c.is_ascii_digit())
                        })
                })
            })
        })
    }
}

/// Whether `package` belongs to the library with the name `name`; both are folded.
fn is_of(name: &str, package: &str) -> bool {
    if package == name || below(name, package) {
        return true;
    }
    if package
        .strip_prefix('@')
        .is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
    {
        return true;
    }
    if name.len() > 2
        && CONNECTORS.iter().any(|connector| {
            package.strip_prefix(connector).is_some_and(|rest| rest == name || below(name, rest))
        })
    {
        return true;
    }
    in_namespace(name, package)
}

/// Whether `package` is a part of `name`: `lodash/debounce`, `moment-timezone`, `log4j:log4j`, `tensorflow.keras`.
fn below(name: &str, package: &str) -> bool {
    package.strip_prefix(name).is_some_and(|rest| {
        rest.starts_with(['/', '.', ':', '\\'])
            || rest.strip_prefix('-').is_some_and(|part| name.len() > 1 && is_part(part))
    })
}

/// Whether the end of a package's name makes it a part or a companion of the library before it: `lodash-es`,
/// `moment-timezone`, `jest-cli`. Another end is another package: `jquery-x`.
fn is_part(end: &str) -> bool {
    let end = end.split(['/', ':', '.']).next().unwrap_or(end);
    let is_version = |part: &str| {
        let digits = part.strip_prefix('v').unwrap_or(part);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    end.split('-')
        .all(|part| tables::is_package_part(part) || is_version(part) || tables::technology(part).is_some())
}

/// Whether a name with a path or a namespace belongs to the library: `github.com/IBM/sarama`, `org.joda.time`.
fn in_namespace(name: &str, package: &str) -> bool {
    if let Some((group, artifact)) = package.split_once(':') {
        let artifact = artifact.split(':').next().unwrap_or_default();
        return artifact == name
            || below(name, artifact)
            || group == name
            || below(name, group)
            || in_namespace(name, group);
    }
    if package.contains('\\') {
        return package.split('\\').next() == Some(name);
    }
    if package.contains('/') {
        if name.contains('/') {
            return package.ends_with(&format!("/{name}")) || package.contains(&format!("/{name}/"));
        }
        let parts: Vec<&str> = package.split('/').collect();
        let has_host = parts.first().is_some_and(|host| host.contains('.') && !host.starts_with('.'));
        let is = |part: &str| {
            let part = part.trim_end_matches(".git");
            part == name
                || part.strip_prefix("go-") == Some(name)
                || part.strip_suffix("-go") == Some(name)
                || part.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        };
        return if has_host {
            parts.iter().skip(1).take(2).any(|part| is(part))
        } else {
            // A vendor with its package, as in `guzzlehttp/guzzle`. A scope of npm is another owner.
            parts.len() == 2
                && !package.starts_with('@')
                && parts.iter().any(|part| is(part) || below(name, part))
        };
    }
    let mut parts = package.split('.');
    let first = parts.next().unwrap_or_default();
    TOP_LEVEL.contains(&first) && parts.take(2).any(|part| part == name)
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_a_library() {
        for (library, package, wanted) in [
            ("moment", "moment", true),
            ("moment", "moment/locale/de", true),
            ("moment", "moment-timezone", true),
            ("moment", "momentum", false),
            ("Redux", "@reduxjs/toolkit", true),
            ("uuid", "@types/uuid", true),
            ("sarama", "github.com/IBM/sarama", true),
            ("github.com/pkg/errors", "errors", false),
            ("Joda-Time", "org.joda.time.DateTime", true),
            ("Guzzle", "GuzzleHttp\\Client", true),
            ("log4j", "org.apache.logging.log4j:log4j-core", true),
            ("MongoDB", "mongoose", true),
            ("regex", "fancy-regex", false),
            ("react-native-navigation", "@react-navigation/native", false),
            ("colors", "./palette.js", false),
        ] {
            assert_eq!(Library::new(library).has(package), wanted, "{library} {package}");
        }
    }

    #[test]
    fn images_and_addresses_of_a_library() {
        assert!(Library::new("Redis").has_image("docker.io/library/redis:7.4"));
        assert!(!Library::new("Redis").has_image("valkey/valkey:8"));
        assert!(Library::new("Alpine").has_image("node:22-alpine3.19"));
        assert!(Library::new("jQuery").has_url("https://cdn.example/jquery-3.7.1.min.js"));
        assert!(!Library::new("jQuery").has_url("/js/query.js"));
        assert!(Library::new("Google Fonts").has_url("https://fonts.googleapis.com/css2?family=Inter"));
    }
}
