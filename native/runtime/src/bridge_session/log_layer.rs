use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use auk_bridge::frame::{LogLevel, ToJava};
use tracing::field::{Field, Visit};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use super::frame_queue::FrameQueue;

/// Turns the session's own log events into frames, so that they come out of the server's own logger.
pub(super) struct LogLayer {
    queue: Arc<FrameQueue>,
    least: LeastLevel,
}

/// The least important level that is logged; the settings may change it at any time.
#[derive(Clone)]
pub(super) struct LeastLevel(Arc<AtomicU8>);

impl LeastLevel {
    pub(super) fn new(level: Level) -> Self {
        let least = Self(Arc::new(AtomicU8::new(0)));
        least.set(level);
        least
    }

    pub(super) fn set(&self, level: Level) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    fn allows(&self, level: Level) -> bool {
        rank(level) <= self.0.load(Ordering::Relaxed)
    }
}

fn rank(level: Level) -> u8 {
    match level {
        Level::ERROR => 0,
        Level::WARN => 1,
        Level::INFO => 2,
        Level::DEBUG => 3,
        Level::TRACE => 4,
    }
}

impl LogLayer {
    pub(super) fn new(queue: Arc<FrameQueue>, least: LeastLevel) -> Self {
        Self { queue, least }
    }

    pub(super) fn into_subscriber(self) -> impl Subscriber + Send + Sync {
        tracing_subscriber::registry().with(self)
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    /// The level may change later, so no answer may be remembered.
    fn register_callsite(&self, _metadata: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        metadata.target().starts_with("auk") && self.least.allows(*metadata.level())
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        let mut line = Line::default();
        event.record(&mut line);
        let level = match *metadata.level() {
            Level::ERROR => LogLevel::Error,
            Level::WARN => LogLevel::Warn,
            Level::INFO => LogLevel::Info,
            Level::DEBUG => LogLevel::Debug,
            Level::TRACE => LogLevel::Trace,
        };
        let logger = if metadata.target().contains("client") { "gateway" } else { "bridge" };
        self.queue.push(&ToJava::Log { level, logger: logger.to_owned(), text: format!("{}{}", line.message, line.fields) });
    }
}

/// The message, then each field as ` name=value`.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            let _ = write!(self.fields, " {}={value:?}", field.name());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ =
            if field.name() == "message" { write!(self.message, "{value:?}") } else { write!(self.fields, " {}={value:?}", field.name()) };
    }
}
