//! Server versions that this client can work with, and what it says about itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub use spikewire_aerospike_protocol::features::Build;

/// The oldest server with readable partition maps.
pub(super) const OLDEST: Build = Build([4, 9, 0, 3]);
/// The first server that accepts `user-agent-set`.
const TAKES_USER_AGENT: Build = Build([8, 1, 0, 0]);

/// Whether the server accepts `user-agent-set`.
pub(super) fn takes_user_agent(build: Build) -> bool {
    build >= TAKES_USER_AGENT
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
    fn versions_decide_what_is_sent() {
        let build = |text| Build::parse(text).unwrap();
        assert!(build("4.9.0.3") >= OLDEST && build("4.9.0.2") < OLDEST);
        assert!(takes_user_agent(build("10.0.0.0")) && !takes_user_agent(build("8.0.0.9")));
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
