//! Accepts connections, plain or TLS, and serves HTTP on each.

use axum::Router;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, sleep};
use tokio_rustls::TlsAcceptor;

/// Serves a listener for ever; with an acceptor each connection begins with a TLS handshake.
pub(super) async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, router: Router) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, most likely: others may end soon.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Small frames shall leave at once; without it they only leave later.
        let _ = stream.set_nodelay(true);
        tokio::spawn(greet(stream, tls.clone(), router.clone()));
    }
}

async fn greet(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router) {
    match tls {
        None => talk(stream, router).await,
        Some(acceptor) => {
            // A handshake that fails is the client's to report.
            if let Ok(stream) = acceptor.accept(stream).await {
                talk(stream, router).await;
            }
        }
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    let service = TowerToHyperService::new(router);
    let talk = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
    // A connection that breaks is the client's to report.
    let _ = talk.await;
}
