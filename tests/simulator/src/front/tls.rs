//! A private root and a leaf for 127.0.0.1 and localhost, made anew for each platform.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// What the TLS front needs, and the root that a client has to trust.
pub(super) struct Identity {
    pub(super) root_pem: String,
    pub(super) acceptor: TlsAcceptor,
}

impl Identity {
    pub(super) fn create() -> Result<Self, rcgen::Error> {
        let root_key = KeyPair::generate()?;
        let mut root = CertificateParams::new(Vec::new())?;
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        root.distinguished_name.push(DnType::CommonName, "Simulator root");
        let root_pem = root.self_signed(&root_key)?.pem();
        let issuer = Issuer::new(root, root_key);
        let leaf_key = KeyPair::generate()?;
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut leaf = CertificateParams::new(names)?;
        leaf.distinguished_name.push(DnType::CommonName, "localhost");
        let leaf = leaf.signed_by(&leaf_key, &issuer)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf_key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has cipher suites for the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .expect("the key was made for this certificate");
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { root_pem, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}
