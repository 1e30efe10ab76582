//! What the log says of a session, and how little of it: pure, so that ten days of trouble can be tried in a moment.
//!
//! [`EventLog`] turns the gateway's events into lines and [`NoticeLog`] the bridge's notices; for each a [`Folder`] decides which are said. Who
//! writes them down is the driver's and the worker's affair.

mod event_log;
mod folder;
mod line;
mod notice_log;
mod voice;
pub(crate) mod words;

pub use event_log::{EventLog, Hosts};
pub use folder::{Folder, Folding, Said};
pub use line::{Level, Line};
pub use notice_log::NoticeLog;
