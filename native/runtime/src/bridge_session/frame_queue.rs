use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use auk_bridge::frame::{LogLevel, ToJava};

/// Frames on their way to Java: the worker pushes, the pump thread pops.
#[derive(Default)]
pub(super) struct FrameQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    frames: VecDeque<Vec<u8>>,
    /// Frames that found no room since the last one that did.
    dropped: u64,
    ended: bool,
}

/// Frames that wait for the pump. It only hands over to the server thread, so this many mean that the server stands still.
const FRAMES_MAX: usize = 4_096;

impl FrameQueue {
    /// Adds a frame. One that finds no room is counted, and the count is said in the log once there is room.
    pub(super) fn push(&self, frame: &ToJava) {
        let Ok(bytes) = frame.encode() else {
            tracing::error!("a frame of our own could not be written");
            return;
        };
        let mut state = self.lock();
        if state.ended {
            return;
        }
        if state.frames.len() >= FRAMES_MAX {
            state.dropped += 1;
            return;
        }
        if state.dropped > 0 {
            let text = format!("the server took no frames for a while dropped={}", std::mem::take(&mut state.dropped));
            let notice = ToJava::Log { level: LogLevel::Warn, logger: "runtime".to_owned(), text };
            state.frames.extend(notice.encode());
        }
        state.frames.push_back(bytes);
        drop(state);
        self.changed.notify_one();
    }

    /// Lets the end frame follow the frames that wait.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Takes the next frame, waiting up to `timeout`; the end frame, always, once the queue has ended and is empty.
    pub(super) fn pop(&self, timeout: Duration) -> Option<Vec<u8>> {
        let deadline = Instant::now().checked_add(timeout)?;
        let mut state = self.lock();
        loop {
            if let Some(frame) = state.frames.pop_front() {
                return Some(frame);
            }
            if state.ended {
                return Some(Self::end_frame());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn end_frame() -> Vec<u8> {
        ToJava::End.encode().expect("a frame without fields is JSON and short")
    }

    /// A panic while the lock was held cannot leave a half-made change: every change is one call.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
