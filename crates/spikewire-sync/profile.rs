// How Cargo compiles a crate, for the build scripts that include this file: `SPIKEWIRE_PROFILE`,
// `SPIKEWIRE_OPT_LEVEL` and `SPIKEWIRE_LTO` for `env!`.

/// `manifest` is that of the workspace, which has the profiles.
fn tell_profile(manifest: &str) {
    let out = std::env::var_os("OUT_DIR").expect("Cargo says where to write");
    // Cargo's `PROFILE` only tells release from debug, so it is read off the folder of its
    // artefacts: `<profile>/build/<package>/out`.
    let folder = std::path::Path::new(&out).ancestors().nth(3).and_then(std::path::Path::file_name);
    let profile = folder.and_then(|name| name.to_str()).unwrap_or("unknown");
    let level = std::env::var("OPT_LEVEL").unwrap_or_else(|_| "unknown".to_owned());
    let asked = format!("CARGO_PROFILE_{}_LTO", profile.to_uppercase().replace('-', "_"));
    let lto = std::env::var(asked).unwrap_or_else(|_| {
        let text = std::fs::read_to_string(manifest).unwrap_or_default();
        setting(&text, profile, "lto").unwrap_or_else(|| "unknown".to_owned())
    });
    println!("cargo::rustc-env=SPIKEWIRE_PROFILE={profile}");
    println!("cargo::rustc-env=SPIKEWIRE_OPT_LEVEL={level}");
    println!("cargo::rustc-env=SPIKEWIRE_LTO={lto}");
}

/// Of a profile or of the one that it inherits from; "false" where none of them says anything, as
/// Cargo has it.
fn setting(manifest: &str, profile: &str, name: &str) -> Option<String> {
    if manifest.is_empty() {
        return None;
    }
    let header = format!("[profile.{profile}]");
    let section = manifest.split_once(&header).map_or("", |(_, rest)| rest);
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let value = |wanted: &str| {
        lines.clone().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == wanted).then(|| value.trim().trim_matches('"').to_owned())
        })
    };
    value(name).or_else(|| match value("inherits") {
        Some(below) => setting(manifest, &below, name),
        None => Some("false".to_owned()),
    })
}
