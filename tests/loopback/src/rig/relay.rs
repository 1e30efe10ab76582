use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::pump::{Flow, Way, pump};
use super::runtime;

/// A TCP relay in front of the platform that can do to a link what networks do. Dropping it ends everything on it.
pub struct Relay {
    address: SocketAddr,
    books: Arc<Books>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

struct Books {
    target: SocketAddr,
    inner: Mutex<Inner>,
}

struct Inner {
    links: Vec<Link>,
    to_platform: Flow,
    to_client: Flow,
    accepted: usize,
    open_max: usize,
}

/// The way to the task of a connection.
struct Link {
    orders: mpsc::UnboundedSender<Order>,
    to_platform: watch::Sender<Flow>,
    to_client: watch::Sender<Flow>,
    /// Set once the client has ended its side, which a frozen peer does not hear of.
    is_left: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

#[derive(Clone, Copy)]
enum Order {
    Fin(Way),
    Rst(Way),
}

impl Relay {
    /// A relay to a port of this machine.
    pub fn to_port(port: u16) -> Self {
        let target = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let inner = Inner { links: Vec::new(), to_platform: Flow::Pass, to_client: Flow::Pass, accepted: 0, open_max: 0 };
        let books = Arc::new(Books { target, inner: Mutex::new(inner) });
        let listener = bind(0);
        let address = listener.local_addr().expect("bound");
        let relay = Self { address, books, listening: Mutex::new(None) };
        relay.serve(listener);
        relay
    }

    /// A relay to an address such as `https://127.0.0.1:8443`.
    pub fn to(base_url: &str) -> Self {
        Self::to_port(port_of(base_url))
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// What a client is told instead of the platform's own address.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends every connection in one direction, as an orderly end of TCP.
    pub fn fin(&self, way: Way) {
        self.order(Order::Fin(way));
    }

    /// Resets every connection towards one side; the other sees an ordinary end.
    pub fn rst(&self, way: Way) {
        self.order(Order::Rst(way));
    }

    /// Freezes every open connection in both directions for good; later ones are not touched.
    pub fn freeze_open(&self) {
        for link in &self.books.lock().links {
            link.to_platform.send_replace(Flow::Freeze);
            link.to_client.send_replace(Flow::Freeze);
        }
    }

    /// How every connection flows one way, open ones and later ones.
    pub fn set_flow(&self, way: Way, flow: Flow) {
        let mut inner = self.books.lock();
        match way {
            Way::ToPlatform => inner.to_platform = flow,
            Way::ToClient => inner.to_client = flow,
        }
        for link in &inner.links {
            match way {
                Way::ToPlatform => link.to_platform.send_replace(flow),
                Way::ToClient => link.to_client.send_replace(flow),
            };
        }
    }

    /// Closes the listening socket: connections are refused from here on.
    pub fn refuse(&self) {
        if let Some(listening) = self.listening().take() {
            listening.abort();
            // Over only when the task is: then the socket is closed.
            while !listening.is_finished() {
                std::thread::yield_now();
            }
        }
    }

    /// Listens again at the same port.
    pub fn listen(&self) {
        self.serve(bind(self.address.port()));
    }

    /// Connections accepted so far.
    pub fn accepted(&self) -> usize {
        self.books.lock().accepted
    }

    /// The most connections that the client had open at a time.
    pub fn open_max(&self) -> usize {
        self.books.lock().open_max
    }

    fn order(&self, order: Order) {
        for link in &self.books.lock().links {
            // One that has ended by itself needs no order.
            let _ = link.orders.send(order);
        }
    }

    fn serve(&self, listener: std::net::TcpListener) {
        let books = Arc::clone(&self.books);
        let serving = runtime().spawn(async move {
            let listener = TcpListener::from_std(listener).expect("a runtime");
            while let Ok((client, _)) = listener.accept().await {
                books.accept(client);
            }
        });
        *self.listening() = Some(serving);
    }

    fn listening(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.refuse();
        for link in &self.books.lock().links {
            link.task.abort();
        }
    }
}

impl Books {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(&self, client: TcpStream) {
        let mut inner = self.lock();
        let (orders, taken) = mpsc::unbounded_channel();
        let (to_platform, up) = watch::channel(inner.to_platform);
        let (to_client, down) = watch::channel(inner.to_client);
        let is_left = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(carry(client, self.target, Arc::clone(&is_left), taken, (up, down)));
        inner.links.retain(|link| !link.task.is_finished());
        inner.links.push(Link { orders, to_platform, to_client, is_left, task });
        inner.accepted += 1;
        let open = inner.links.iter().filter(|link| !link.is_left.load(Ordering::Relaxed)).count();
        inner.open_max = inner.open_max.max(open);
    }
}

async fn carry(
    mut client: TcpStream,
    target: SocketAddr,
    is_left: Arc<AtomicBool>,
    mut orders: mpsc::UnboundedReceiver<Order>,
    (up, down): (watch::Receiver<Flow>, watch::Receiver<Flow>),
) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let order = {
        let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
        let upwards = async {
            pump(from_client, to_server, up.clone()).await;
            is_left.store(true, Ordering::Relaxed);
        };
        let both = async { tokio::join!(upwards, pump(from_server, to_client, down.clone())) };
        tokio::select! {
            _ = both => None,
            order = orders.recv() => order,
        }
    };
    match order {
        None => {}
        Some(Order::Rst(Way::ToClient)) => drop(client.set_zero_linger()),
        Some(Order::Rst(Way::ToPlatform)) => drop(server.set_zero_linger()),
        Some(Order::Fin(way)) => {
            let (ended, other) = match way {
                Way::ToClient => (&mut client, &mut server),
                Way::ToPlatform => (&mut server, &mut client),
            };
            let _ = ended.shutdown().await;
            // What the side that was told of the end still has to say goes on, until it ends as well.
            let flow = if way == Way::ToClient { up } else { down };
            pump(ended.split().0, other.split().1, flow).await;
        }
    }
}

/// Tokio's way of listening lets a port be used again at once, and so does this.
fn bind(port: u16) -> std::net::TcpListener {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("the port is free");
    listener.set_nonblocking(true).expect("a socket");
    listener
}

pub(super) fn port_of(base_url: &str) -> u16 {
    base_url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address with a port")
}
