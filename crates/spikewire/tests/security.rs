//! Logging in and encryption, as Rust users ask for them.

use spikewire::{Auth, Builder, Client, Error, Kind};

fn refusal(builder: Builder) -> Error {
    builder.connect("127.0.0.1:1").unwrap_err()
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_sent() {
    for (builder, says) in [
        (Client::builder().credentials("", "x"), "user must not be empty"),
        (Client::builder().credentials("app", "x").auth(Auth::External), "needs the option tls"),
        (Client::builder().auth(Auth::Pki), "name certificate and private key"),
        (Client::builder().auth(Auth::Internal), "give user and password, too"),
    ] {
        let error = refusal(builder);
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains(says), "{error}");
    }
    let named = Client::builder().connect("127.0.0.1:db:1").unwrap_err();
    assert!(named.message().contains("takes the option tls"), "{named}");
}

#[test]
fn passwords_are_not_shown() {
    let builder = Client::builder().credentials("app", "opensesame");
    assert!(!format!("{builder:?}").contains("opensesame"));
}
