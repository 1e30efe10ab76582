use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::ClientError;

/// The one TLS configuration, for HTTP and WebSocket alike. The provider is named here: with two of them in one build, or none installed,
/// the first handshake would panic.
pub(super) fn client_config(extra_root_file: Option<&Path>) -> Result<Arc<ClientConfig>, ClientError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = extra_root_file {
        add_roots(&mut roots, path).map_err(|reason| ClientError::RootFile { path: path.to_owned(), reason })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.map_err(|error| ClientError::Tls(error.to_string()))?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
}

fn add_roots(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let mut added = 0;
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
        roots.add(certificate.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
        added += 1;
    }
    if added == 0 { Err("it holds no PEM certificate".to_owned()) } else { Ok(()) }
}
