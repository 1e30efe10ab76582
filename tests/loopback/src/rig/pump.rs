use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::sleep;

/// A direction through the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// What the client sends.
    ToPlatform,
    /// What the platform sends.
    ToClient,
}

/// How bytes go one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// As they come.
    Pass,
    /// Not at all: nothing is read, so no end of the stream is passed on either.
    Freeze,
    /// Each piece this many milliseconds late.
    Delay(u64),
    /// This many bytes a second.
    Drip(usize),
}

const PIECE_BYTES: usize = 16 * 1024;
/// A drip is cut into this many drops a second.
const DROPS_PER_SECOND: usize = 20;

/// Passes bytes on until the source ends.
pub(super) async fn pump(mut from: ReadHalf<'_>, mut to: WriteHalf<'_>, mut flow: watch::Receiver<Flow>) {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        thaw(&mut flow).await;
        let bytes = tokio::select! {
            read = from.read(&mut piece) => match read {
                Ok(0) | Err(_) => break,
                Ok(bytes) => bytes,
            },
            _ = flow.changed() => continue,
        };
        // Frozen meanwhile, it waits here.
        thaw(&mut flow).await;
        if pour(&piece[..bytes], &mut to, &flow).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

async fn thaw(flow: &mut watch::Receiver<Flow>) {
    if flow.wait_for(|flow| *flow != Flow::Freeze).await.is_err() {
        // The relay is gone, and this task with it.
        std::future::pending::<()>().await;
    }
}

async fn pour(bytes: &[u8], to: &mut WriteHalf<'_>, flow: &watch::Receiver<Flow>) -> std::io::Result<()> {
    let now = *flow.borrow();
    match now {
        Flow::Pass | Flow::Freeze => to.write_all(bytes).await,
        Flow::Delay(ms) => {
            sleep(Duration::from_millis(ms)).await;
            to.write_all(bytes).await
        }
        Flow::Drip(per_second) => {
            for drop in bytes.chunks((per_second / DROPS_PER_SECOND).max(1)) {
                to.write_all(drop).await?;
                sleep(Duration::from_secs_f64(drop.len() as f64 / per_second.max(1) as f64)).await;
            }
            Ok(())
        }
    }
}
