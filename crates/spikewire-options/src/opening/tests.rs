//! Tests of the rules; those of engines' options are in the engines.

use super::{Check, Host, Opening, Scheme, TextType, read};
use crate::{InvalidArgument, Literal, OptionValue, parse};

const SCHEME: Scheme = Scheme {
    name: "db",
    prefix: "DB_",
    path: "space",
    port: 3000,
    seed: "a host, host:port",
    options: &[
        ("timeout", TextType::Span),
        ("max_retries", TextType::Whole),
        ("ratio", TextType::Optional(&TextType::Number)),
        ("hedge", TextType::SpanOrPercentile),
        ("reconnect", TextType::TwoSpans),
        ("racks", TextType::Wholes),
        ("map", TextType::Pairs),
        ("fast", TextType::Flag),
        ("user", TextType::Text),
        ("password", TextType::Text),
        ("tls", TextType::Flag),
        ("codec", TextType::Object),
    ],
    instead: &["bundle"],
};
const HOST: Host = Host {
    own: &[("ints", TextType::Word(&["auto", "bigint"])), ("bundle", TextType::Text)],
    others: &["threads"],
    argument: "an argument",
};

struct Checks;

impl Check for Checks {
    fn seed(&self, host: &str) -> Result<(), InvalidArgument> {
        let fits = !host.is_empty() && host.split(':').nth(1) != Some("0");
        fits.then_some(()).ok_or_else(|| InvalidArgument::of_value("no host"))
    }

    fn path(&self, path: &str) -> Result<(), InvalidArgument> {
        parse::count("length", Some(path.len() as u64), (1, 9), path.len()).map(drop)
    }

    fn option(&self, name: &str, value: &Literal) -> Result<(), InvalidArgument> {
        if name == "max_retries" { value.count(name, (0, 1000)).map(drop) } else { Ok(()) }
    }
}

fn opened(
    url: Option<&str>,
    variables: &[(&str, &str)],
    arguments: &[(&str, Literal)],
) -> Result<Opening<Literal>, String> {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let variables: Vec<_> = variables.iter().map(owned).collect();
    read(&SCHEME, &HOST, &Checks, url, variables, arguments.collect())
        .map_err(|error| error.message().to_owned())
}

fn explained(
    url: Option<&str>,
    variables: &[(&str, &str)],
    arguments: &[(&str, Literal)],
) -> String {
    let opening = opened(url, variables, arguments).unwrap();
    opening.explain("space", |_, value| format!("{:?}", value.literal()))
}

#[test]
fn arguments_before_the_url_before_variables_before_defaults() {
    let variables = [
        ("DB_URL", "db://variable:3000/v?timeout=9"),
        ("DB_TIMEOUT", "1"),
        ("DB_MAX_RETRIES", "1"),
        ("DB_FAST", "yes"),
        ("DB_RATIO", ""),
        ("DB_THREADS", "any"),
        ("OTHER", "x"),
    ];
    let url = "db://url:3000/u?timeout=2&max_retries=2";
    assert_eq!(
        explained(Some(url), &variables, &[("timeout", Literal::from(3))]),
        "seeds = url:3000  (the URL)\n\
         space = u  (the URL)\n\
         fast = Flag(true)  (the variable DB_FAST)\n\
         max_retries = Number(2.0)  (the URL)\n\
         timeout = Number(3.0)  (an argument)"
    );
    assert_eq!(
        explained(None, &variables, &[]).lines().last().unwrap(),
        "timeout = Span(9.0)  (the variable DB_URL)"
    );
    assert_eq!(explained(None, &[], &[]), "seeds = 127.0.0.1:3000  (the default)");
}

#[test]
fn texts_are_values_of_their_types() {
    let query = "timeout=250ms&ratio=none&hedge=p99&reconnect=.5,2min&racks=2,-1&map=a=b,c=d\
                 &fast=No&ints=bigint&user=a%20+";
    let opening = opened(Some(&format!("db://h?{query}")), &[], &[]).unwrap();
    let values: Vec<_> = opening.options.iter().map(|it| it.value.literal().clone()).collect();
    assert_eq!(
        values,
        [
            Literal::Span(0.25),
            Literal::None,
            "p99".into(),
            Literal::List(vec![Literal::Span(0.5), Literal::Span(120.0)]),
            Literal::list([2, -1]),
            [("a", "b"), ("c", "d")].into(),
            false.into(),
            "bigint".into(),
            "a +".into(),
        ]
    );
}

#[test]
fn a_mistake_names_the_part() {
    for (url, message) in [
        ("h", "the URL must begin with db://, or with dbs:// for encrypted connections"),
        ("db://h x", "the URL contains ' ', which must be written %20"),
        ("db://h\n", "the URL contains '\\n', which must be written %0A"),
        ("db://h#x", "the URL has a fragment, '#...': a '#' inside a part is written %23"),
        ("dbs://h?tls=false", "the URL, option tls: another part of the URL sets it, too"),
        (
            "db://h?tls=false&tls_ca=a",
            "the URL, option tls_ca: connections are not encrypted (tls=false)",
        ),
        (
            "db://u:hidden@h:x",
            "the URL, host 1 ('h'): it must be a host, host:port or [IPv6 address]:port, with a \
             port from 1 to 65535",
        ),
        (
            "db://h,,i",
            "the URL, host 2 (''): it must be a host, host:port or [IPv6 address]:port, with a \
             port from 1 to 65535",
        ),
        (
            "db://u:hid/den@h",
            "the URL has an '@' after its hosts: in a user or password, '/' is written %2F, '?' \
             %3F and '@' %40",
        ),
        ("db://:p@h", "the URL has an '@' without a user before it"),
        ("db://h/a/b", "the URL, path: it must be one space, not 'a/b'"),
        ("db://h/0123456789", "the URL, space: length must be from 1 to 9, got 10"),
        ("db://h?", "the URL, option 1: it must be name=value"),
        ("db://h?fast=1&fast=1", "the URL, option fast: it is given twice"),
        (
            "db://h?timeout=%ff",
            "the URL, option timeout: a '%' must be followed by two hexadecimal digits, of UTF-8",
        ),
        (
            "db://h?timeout=soon",
            "the URL, option timeout: it must be a time in seconds, or with a unit: 0.25, 250ms, \
             2s, 5min, not 'soon'",
        ),
        (
            "db://h?max_retries=1.5",
            "the URL, option max_retries: it must be a whole number, not '1.5'",
        ),
        (
            "db://h?max_retries=5000",
            "the URL, option max_retries: max_retries must be from 0 to 1000, got 5000",
        ),
        ("db://h?ratio=.", "the URL, option ratio: it must be a number, not '.'"),
        ("db://h?fast=2", "the URL, option fast: it must be true or false, not '2'"),
        ("db://h?ints=all", "the URL, option ints: it must be 'auto' or 'bigint', not 'all'"),
        (
            "db://h?racks=a",
            "the URL, option racks: it must be whole numbers separated by commas, not 'a'",
        ),
        (
            "db://h?codec=x",
            "the URL, option codec: it takes an object, not text; pass it as an argument",
        ),
    ] {
        assert_eq!(opened(Some(url), &[], &[]).unwrap_err(), message, "{url}");
    }
    let unknown = opened(Some("db://h?speed=1"), &[], &[]).unwrap_err();
    assert!(
        unknown
            .starts_with("the URL, option speed: there is no option 'speed'; there are: bundle, "),
        "{unknown}"
    );
    for (name, message) in [
        ("DB_TIMEOUT", "the variable DB_TIMEOUT: it must be a time"),
        ("DB_SPEED", "the variable DB_SPEED: there is no option 'speed'"),
        ("DB_URL", "the variable DB_URL must begin with db://"),
    ] {
        let error = opened(None, &[(name, "soon")], &[]).unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn a_password_is_in_no_message() {
    for rest in [
        "app:hidden@db1:0",
        "app:hid/den@db1",
        "app:hid?den@db1",
        "app:hid#den@db1",
        "app:hidden",
        "app:hidden%zz@db1",
        ":hidden@db1",
        "app:hidden@db1?speed=1",
        "app:hidden@db1?password=hidden",
        "app:hidden@db1/a/b",
        "app:hidden%00@db1?x",
    ] {
        let error = opened(Some(&format!("db://{rest}")), &[], &[]).unwrap_err();
        assert!(!error.contains("hid") && !error.contains("den"), "{error}");
    }
    let explained = explained(Some("db://a:hidden@h"), &[], &[]);
    assert!(explained.contains("password = '***'  (the URL)"), "{explained}");
}

#[test]
fn entries_of_tls_come_together() {
    let variables = [("DB_TLS_CA", "ca")];
    let tls = |url: &str, arguments: &[(&str, Literal)]| {
        let opening = opened(Some(url), &variables, arguments).unwrap();
        let used = opening.options.into_iter().find(|it| it.name == "tls").unwrap();
        (used.value.literal().clone(), used.source)
    };
    let ca = || Literal::from([("ca", "ca")]);
    let variable = "the variable DB_TLS_CA";
    assert_eq!(tls("db://h", &[]), (ca(), variable.to_owned()));
    assert_eq!(tls("dbs://h", &[]), (ca(), format!("{variable}, the URL")));
    let both = Literal::from([("ca", "ca"), ("server_name", "db")]);
    assert_eq!(tls("db://h?tls_server_name=db", &[]), (both, format!("{variable}, the URL")));
    assert_eq!(tls("db://h?tls=false", &[]), (false.into(), "the URL".to_owned()));
    let on = [("tls", Literal::from(true))];
    assert_eq!(tls("db://h", &on), (ca(), format!("{variable}, an argument")));
    assert_eq!(tls("db://h?tls=false", &on), (true.into(), "an argument".to_owned()));
    let own = Literal::from([("ca", "x")]);
    assert_eq!(tls("db://h", &[("tls", own.clone())]), (own, "an argument".to_owned()));
}

#[test]
fn what_takes_the_place_of_seeds_leaves_them_empty() {
    let opening = opened(None, &[("DB_BUNDLE", "file")], &[]).unwrap();
    assert_eq!(opening.seeds, "");
    assert_eq!(opened(Some("db://h"), &[("DB_BUNDLE", "file")], &[]).unwrap().seeds, "h");
}

#[test]
fn damaged_urls_are_rejected_or_read() {
    const URL: &str =
        "dbs://a%40:b@[::1]:3000,h:1/space?timeout=1ms&racks=1,2&map=a=b&reconnect=1,2";
    for at in 0..URL.len() {
        for part in ["", "%", "@", ":", ",", "/", "?", "&", "=", "#", "ü", " ", "\0", "9", "-", "."]
        {
            for url in
                [format!("{}{part}", &URL[..at]), format!("{}{part}{}", &URL[..at], &URL[at + 1..])]
            {
                if let Err(error) = opened(Some(&url), &[], &[]) {
                    assert!(error.starts_with("the URL"), "{error}");
                }
            }
        }
    }
}
