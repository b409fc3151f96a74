//! Server versions and the features that depend on them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A server version, as reported by `build`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Build(pub [u16; 4]);

/// The oldest server with readable partition maps.
pub(super) const OLDEST: Build = Build([4, 9, 0, 3]);
/// The first server that accepts `user-agent-set`.
const TAKES_USER_AGENT: Build = Build([8, 1, 0, 0]);

impl Build {
    /// Parses versions such as `8.1.2.0`; suffixes of a number (`-rc1`) are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = [0; 4];
        let mut parts = text.split('.');
        for (at, number) in numbers.iter_mut().enumerate() {
            let Some(part) = parts.next() else {
                // Servers report at least three numbers.
                return (at >= 3).then_some(Self(numbers));
            };
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            *number = part[..digits].parse().ok()?;
        }
        Some(Self(numbers))
    }

    /// Whether the server accepts `user-agent-set`.
    pub(super) fn takes_user_agent(self) -> bool {
        self >= TAKES_USER_AGENT
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch, build] = self.0;
        write!(f, "{major}.{minor}.{patch}.{build}")
    }
}

/// The info command that identifies this client, and the program by its name; servers accept at
/// most 63 bytes of it.
pub(super) fn user_agent(application: Option<&str>) -> String {
    let application = application.unwrap_or("spikewire");
    let mut text = format!("1,rust-{},{application}", env!("CARGO_PKG_VERSION"));
    text.truncate(63);
    format!("user-agent-set:value={}", STANDARD.encode(text))
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
        assert!(build("4.9.0.3") >= OLDEST && build("4.9.0.2") < OLDEST);
        assert!(build("10.0.0.0").takes_user_agent() && !build("8.0.0.9").takes_user_agent());
        for text in ["", "8", "8.1", "x.y.z", "8..1"] {
            assert_eq!(Build::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_user_agent_is_short_enough_for_servers() {
        let long = "x".repeat(40);
        for (application, end) in
            [(None, "spikewire"), (Some("shop"), "shop"), (Some(&*long), &long)]
        {
            let command = user_agent(application);
            let encoded = command.strip_prefix("user-agent-set:value=").unwrap();
            let text = String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap();
            assert!(text.len() <= 63 && text.starts_with("1,rust-"), "{text}");
            assert!(text.ends_with(&format!(",{end}")), "{text}");
        }
    }
}
