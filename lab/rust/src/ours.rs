//! The builder for clients of the crate `spikewire`.

use spikewire::{Auth, Builder, Client, Pem, Tls, TlsOptions};

use crate::access::Access;

/// The crate's defaults, with credentials and TLS.
pub fn client_builder(access: &Access) -> Result<Builder, String> {
    let mut builder = Client::builder();
    if !access.user.is_empty() {
        builder = builder.credentials(access.user.as_str(), access.password.as_str());
    }
    builder = match access.auth.as_str() {
        "" => builder,
        "internal" => builder.auth(Auth::Internal),
        "external" => builder.auth(Auth::External),
        "external-insecure" => builder.auth(Auth::ExternalInsecure),
        "pki" => builder.auth(Auth::Pki),
        other => return Err(format!("no way to log in is called {other}")),
    };
    let Some(tls) = &access.tls else { return Ok(builder) };
    let file = |path: &String| (!path.is_empty()).then(|| Pem::File(path.into()));
    let options = TlsOptions {
        authorities: file(&tls.ca).into_iter().collect(),
        identity: file(&tls.certificate).zip(file(&tls.key)),
        ..TlsOptions::default()
    };
    Ok(builder.tls(Tls::new(&options).map_err(|error| error.to_string())?))
}
