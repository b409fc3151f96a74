//! Tests of files: what is in them, and where their mistakes are.

use spikewire_options::Literal;

use super::{Format, read};
use crate::calls::{CallSettings, resolve};

const TOML: &str = r#"# Profiles
[base]
timeout = 1.5
[base.write]
send_key = true

[fast]
derives = "base"
read = { timeout = 0.05, replica = "any" }
write.many.timeout = 2
"#;
const YAML: &str = "# Profiles
fast:
  derives: base
  read: {timeout: 0.05, replica: any}
  write:
    many:
      timeout: 2
base:
  timeout: 1.5
  write:
    send_key: yes
";

#[test]
fn both_formats_say_the_same() {
    for (text, format, lines) in [(TOML, Format::Toml, (9, 5)), (YAML, Format::Yaml, (4, 11))] {
        let file = match format {
            Format::Toml => "p.toml",
            Format::Yaml => "p.yaml",
        };
        let profiles = read(&[b"\xef\xbb\xbf", text.as_bytes()].concat(), format, file).unwrap();
        let fast = profiles.iter().find(|it| it.name == "fast").unwrap();
        let mut settings: Vec<_> = fast
            .settings
            .iter()
            .map(|it| (it.section, it.option, it.value.value.clone(), it.value.source.clone()))
            .collect();
        settings.sort_by_key(|it| (it.0, it.1));
        let line = |name: &str, place: &str, line: usize| {
            format!("profile '{name}', {place} ({file}, line {line})")
        };
        assert_eq!(settings[0].2, Literal::Span(1.5));
        assert_eq!(settings[1].3, line("fast", "read.replica", lines.0));
        assert_eq!(settings[2].3, line("fast", "read.timeout", lines.0));
        assert_eq!(settings[2].2, Literal::Span(0.05));
        assert_eq!(
            settings[3],
            ("write", "send_key", true.into(), line("base", "write.send_key", lines.1))
        );
        assert_eq!(settings[4].2, Literal::Span(2.0));
        assert_eq!(settings.len(), 5);
    }
}

/// The cases that every language runs.
fn cases() -> serde_json::Value {
    serde_json::from_str(include_str!("../../../../tests/profile_cases.json")).unwrap()
}

#[test]
fn a_mistake_names_file_line_and_key() {
    for case in cases()["mistakes"].as_array().unwrap() {
        let text = |name: &str| case[name].as_str().unwrap().to_owned();
        let file = format!("p.{}", text("kind"));
        let format = Format::of(&file).unwrap();
        let error = read(text("text").as_bytes(), format, &file).unwrap_err().to_string();
        assert!(error.starts_with(&text("error")), "{error}\n{}", text("error"));
    }
    for (text, message) in [
        (&b"[a]\n# \xff\n"[..], "p, line 2: the file is not UTF-8"),
        (b"[a.read.strict]\n", "p, line 1, a.read.strict: there is no option or section 'strict'"),
        (b"[a]\nderives = 1\n", "p, line 2, a.derives: there is no profile 1 in this file"),
    ] {
        let error = read(text, Format::Toml, "p").unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn calls_have_the_settings_of_a_file() {
    let cases = cases();
    let text = cases["file"].as_str().unwrap();
    let profiles = read(text.as_bytes(), Format::Toml, "p.toml").unwrap();
    let settings = &profiles.iter().find(|it| it.name == "all").unwrap().settings;
    let places: Vec<_> = settings.iter().map(|it| (it.section, it.option)).collect();
    let calls = resolve(&places);
    for case in cases["calls"].as_array().unwrap() {
        let writes = case["writes"].as_bool().unwrap_or_default();
        let is_it = |it: &&CallSettings| {
            it.verb == case["verb"] && it.writing == writes && it.mode.is_none()
        };
        let call = calls.iter().find(is_it).unwrap();
        let setting = call.settings.iter().map(|at| &settings[*at]);
        let setting = setting.clone().find(|it| it.option == case["option"]);
        let source = setting.map_or("the default", |it| &it.value.source);
        assert_eq!(source, case["source"], "{case}");
        let Some(setting) = setting else { continue };
        let expected = match &case["value"] {
            serde_json::Value::Object(time) => Literal::Span(time["seconds"].as_f64().unwrap()),
            serde_json::Value::Number(number) => Literal::Number(number.as_f64().unwrap()),
            serde_json::Value::Bool(flag) => Literal::Flag(*flag),
            other => Literal::from(other.as_str().unwrap()),
        };
        assert_eq!(setting.value.value, expected, "{case}");
    }
}

#[test]
fn words_of_yaml_are_values() {
    let timeout = |text: &str| {
        let text = format!("a:\n  timeout: {text}\n");
        read(text.as_bytes(), Format::Yaml, "p")
            .map(|profiles| profiles[0].settings[0].value.value.clone())
    };
    for (text, seconds) in
        [("1", 1.0), ("1_000", 1000.0), ("010", 8.0), ("0x10", 16.0), ("0.5", 0.5), (".5", 0.5)]
    {
        assert_eq!(timeout(text).unwrap(), Literal::Span(seconds), "{text}");
    }
    assert_eq!(timeout("~").unwrap(), Literal::None);
    for text in ["1e3", "'1'", "yes", "1.2.3", "-1", ".inf", "!!str 1"] {
        timeout(text).unwrap_err();
    }
    assert_eq!(timeout("!!int 3").unwrap(), Literal::Span(3.0));
    assert!(read(b"", Format::Yaml, "p").unwrap().is_empty());
    assert!(read(b"a:\n", Format::Yaml, "p").unwrap()[0].settings.is_empty());
    // Aliases of aliases would be more values than memory has.
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (at, name) in ('b'..='j').enumerate() {
        let before = char::from(b'a' + at as u8);
        let aliases = format!("*{before}, ").repeat(9);
        text = format!("{text}{name}: &{name} [{aliases}*{before}]\n");
    }
    let error = read(text.as_bytes(), Format::Yaml, "p").unwrap_err();
    assert_eq!(error.message, "it is nested too deeply");
}

#[test]
fn formats_are_known_by_the_ends_of_names() {
    assert_eq!(Format::of("a.TOML"), Some(Format::Toml));
    assert_eq!(Format::of("a.b.yml"), Some(Format::Yaml));
    assert_eq!((Format::of("p.ini"), Format::of("toml")), (None, None));
}

#[test]
fn damaged_files_are_rejected_or_read() {
    const DAMAGE: &[u8] = b"\0[]{}'\"=:&*!|>-.#%\n\t \xff9";
    for text in [TOML, YAML, "a: &x [1, *x]\n? b\n: |\n  c\n"] {
        for at in 0..text.len() {
            for byte in DAMAGE {
                let mut damaged = text.as_bytes().to_vec();
                damaged[at] = *byte;
                for format in [Format::Toml, Format::Yaml] {
                    for end in [at + 1, text.len()] {
                        if let Err(error) = read(&damaged[..end], format, "p") {
                            assert!(error.to_string().starts_with('p'), "{error}");
                        }
                    }
                }
            }
        }
    }
}
