//! Certificates of nodes and clients, issued by an authority generated for one cluster.

use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// PEM files for clients. They are deleted with the cluster.
#[derive(Debug)]
pub struct Certificates {
    /// The authority that issued the nodes' certificates, to be trusted.
    pub ca: PathBuf,
    /// A certificate for a client, with the common name `client`.
    pub certificate: PathBuf,
    /// Its private key, PKCS 8 without a password.
    pub key: PathBuf,
    folder: PathBuf,
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The certificates generated for a cluster.
#[derive(Debug)]
pub struct IssuedCertificates {
    /// The files for clients.
    pub files: Certificates,
    /// The authority.
    pub authority: CertificateDer<'static>,
    /// The nodes' certificate.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
}

impl IssuedCertificates {
    /// Generates certificates for nodes with this name that listen on `bind`.
    pub fn new(name: &str, bind: IpAddr) -> io::Result<Self> {
        let (authority, issuer) = authority().map_err(io::Error::other)?;
        let mut names = vec![name.to_owned(), "localhost".to_owned()];
        let here = [bind, Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        names.extend(here.iter().filter(|it| !it.is_unspecified()).map(ToString::to_string));
        names.dedup();
        let sign = |common_name, names| sign(&issuer, common_name, names).map_err(io::Error::other);
        let (node, node_key) = sign("node", names)?;
        let (client, client_key) = sign("client", vec!["client".to_owned()])?;
        let files = write(&authority.pem(), &client.pem(), &client_key.serialize_pem())?;
        let key = PrivatePkcs8KeyDer::from(node_key.serialize_der()).into();
        Ok(Self { files, authority: authority.der().clone(), chain: vec![node.der().clone()], key })
    }
}

fn named(common_name: &str, names: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    Ok(params)
}

fn authority() -> Result<(Certificate, Issuer<'static, KeyPair>), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = named("Spikewire test cluster", Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = params.self_signed(&key)?;
    Ok((certificate, Issuer::new(params, key)))
}

fn sign(
    issuer: &Issuer<'_, KeyPair>,
    common_name: &str,
    names: Vec<String>,
) -> Result<(Certificate, KeyPair), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = named(common_name, names)?;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let certificate = params.signed_by(&key, issuer)?;
    Ok((certificate, key))
}

/// Writes the files into a new folder that only this user can access.
fn write(ca: &str, certificate: &str, key: &str) -> io::Result<Certificates> {
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let name = format!("spikewire-tls-{}-{random:016x}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    // From here on the folder is removed if anything fails.
    let path = |name: &str| folder.join(name);
    let (ca_path, certificate_path, key_path) =
        (path("ca.pem"), path("client.pem"), path("client-key.pem"));
    let certificates =
        Certificates { ca: ca_path, certificate: certificate_path, key: key_path, folder };
    write_new(&certificates.ca, ca)?;
    write_new(&certificates.certificate, certificate)?;
    write_new(&certificates.key, key)?;
    Ok(certificates)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
