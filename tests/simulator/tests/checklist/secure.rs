//! The same platform over TLS.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::client_async;

use crate::client::Rig;

#[tokio::test]
async fn with_the_root_the_look_up_hands_out_a_wss_address_that_works() {
    let rig = Rig::new();
    let config = trusting(rig.platform.root_pem());
    assert_eq!(std::fs::read_to_string(rig.platform.root_pem_path()).unwrap(), rig.platform.root_pem());
    let http = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(config.clone()).build().unwrap();
    let url = format!("{}/gateway", rig.platform.tls_base_url());
    let authorization = format!("QQBot {}", rig.token().await);
    let answer = http.get(url).header("Authorization", authorization).send().await.unwrap();
    let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let address = body["url"].as_str().unwrap().to_owned();
    assert!(address.starts_with("wss://127.0.0.1:"), "{address}");
    let host = address.trim_start_matches("wss://").trim_end_matches("/websocket");
    let stream = TcpStream::connect(host).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    let (mut socket, _) = client_async(&address, stream).await.unwrap();
    let hello = futures_util::StreamExt::next(&mut socket).await.unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(hello.to_text().unwrap()).unwrap()["op"], json!(10));
}

#[tokio::test]
async fn without_the_root_there_is_no_connection() {
    let rig = Rig::new();
    let other = Rig::new();
    let config = trusting(other.platform.root_pem());
    let http = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(config).build().unwrap();
    assert!(http.get(rig.platform.tls_base_url()).send().await.unwrap_err().is_connect());
}

fn trusting(root_pem: &str) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(root_pem.as_bytes()).unwrap()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}
