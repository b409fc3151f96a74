//! Server versions.

use std::fmt;

/// A server version, as reported by `build`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Build(pub [u16; 4]);

impl Build {
    /// Parses versions such as `8.1.2.0`; suffixes of a number (`-rc1`) are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        // Servers report at least three numbers.
        Self::of_numbers(text, 3)
    }

    /// Parses versions as people write them: `8.2` is `8.2.0.0`.
    pub fn parse_short(text: &str) -> Option<Self> {
        Self::of_numbers(text, 2)
    }

    fn of_numbers(text: &str, least: usize) -> Option<Self> {
        let mut numbers = [0; 4];
        let mut parts = text.split('.');
        for (at, number) in numbers.iter_mut().enumerate() {
            let Some(part) = parts.next() else {
                return (at >= least).then_some(Self(numbers));
            };
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            *number = part[..digits].parse().ok()?;
        }
        Some(Self(numbers))
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch, build] = self.0;
        write!(f, "{major}.{minor}.{patch}.{build}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let build = |text| Build::parse(text).unwrap();
        assert_eq!(build("8.1.2.0"), Build([8, 1, 2, 0]));
        assert_eq!(build("8.1.2"), Build([8, 1, 2, 0]));
        assert_eq!(build("10.0.0.1-rc3").to_string(), "10.0.0.1");
        assert!(build("10.0.0.0") > build("9.9.9.9"));
        for text in ["", "8", "8.1", "x.y.z", "8..1"] {
            assert_eq!(Build::parse(text), None, "{text:?}");
        }
        assert_eq!(Build::parse_short("8.2"), Some(Build([8, 2, 0, 0])));
        assert_eq!(Build::parse_short("8"), None);
    }
}
