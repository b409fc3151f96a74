//! Tests of files: what is in them, and where their mistakes are.

use spikewire_options::Literal;

use super::{Format, read};

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

#[test]
fn a_mistake_names_file_line_and_key() {
    let deep = format!("a: {}", "[".repeat(500));
    let deeper = format!("[a]\nx = {}", "[".repeat(3000));
    let toml: &[(&[u8], &str)] = &[
        (b"[a]\ntimeout = 1\nspeed = 2\n", "p, line 3, a.speed: there is no option"),
        (b"[a.read]\ntimeout = 'x'\n", "p, line 2, a.read.timeout: timeout must be"),
        (b"[a]\n\nread = { ttl = 1 }\n", "p, line 3, a.read.ttl: there is no option"),
        (b"[\"a\"]\n\"write\".durable = 1\n", "p, line 2, a.write.durable: durable must be"),
        (b"[a]\ntimeout = \n", "p, line 2: "),
        (b"[a]\nx = 1\nx = 2\n", "p, line 3: "),
        (b"[a]\nx = '''", "p, line 2: "),
        (b"a = 1\n", "p, line 1, a: it must be a section of options, not number"),
        (b"[[a]]\n", "p, line 1, a: it must be a section of options, not list"),
        (b"[a.read.strict]\n", "p, line 1, a.read.strict: there is no option or section 'strict'"),
        (b"[a]\nderives = 'b'\n", "p, line 2, a.derives: there is no profile 'b' in this file"),
        (b"[a]\nderives = 1\n", "p, line 2, a.derives: there is no profile 1 in this file"),
        (
            b"[a]\nderives = 'b'\n[b]\nderives = 'a'\n",
            "p, line 2, a.derives: it derives from itself: a -> b -> a",
        ),
        (b"[a]\n# \xff\n", "p, line 2: the file is not UTF-8"),
        (deeper.as_bytes(), "p: it is nested too deeply"),
        (
            "# \u{2028} \u{85}\n[a]\ntimeout = 'x'\n".as_bytes(),
            "p, line 3, a.timeout: timeout must",
        ),
    ];
    let yaml: &[(&[u8], &str)] = &[
        (b"a:\n  timeout: 1\n  speed: 2\n", "p, line 3, a.speed: there is no option"),
        (b"a:\n  read:\n    timeout: x\n", "p, line 3, a.read.timeout: timeout must"),
        (b"a:\n  timeout: 1\n  timeout: 2\n", "p, line 3, a.timeout: the key occurs twice"),
        (b"a:\n  1: 2\n", "p, line 2, a.1: keys must be strings"),
        (b"a:\n  timeout: [\n", "p, line 3: "),
        (b"a:\n  timeout: !!python/name:os.system\n", "p, line 2: "),
        (b"a: {}\n---\nb: {}\n", "p, line 2: "),
        (b"a: &a {}\nb:\n  <<: *a\n", "p, line 3, b.<<: merge keys are not supported"),
        (b"a:\n  timeout: \0\n", "p, line 2: special characters are not allowed"),
        (deep.as_bytes(), "p: it is nested too deeply"),
        (b"- a\n", "p, line 1: the file must map profile names to profiles"),
        (b"a: &x\n  read: *x\n", "p, line 2, a.read"),
        (b"a:\n  derives: a\n", "p, line 2, a.derives: it derives from itself: a -> a"),
    ];
    for (format, cases) in [(Format::Toml, toml), (Format::Yaml, yaml)] {
        for (text, message) in cases {
            let error = read(text, format, "p").unwrap_err().to_string();
            let text = String::from_utf8_lossy(text);
            assert!(error.starts_with(message), "{error}\n{:.80}", text);
        }
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
        text.push_str(&format!(
            "{name}: &{name} [{}*{before}]\n",
            format!("*{before}, ").repeat(9)
        ));
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
