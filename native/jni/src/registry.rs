use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use auk_runtime::BridgeSession;
use jni::sys::jlong;

/// Bridges open at once. A server has one; two are ordinary while one world closes and the next opens in single player.
const SLOTS_MAX: usize = 16;

/// A place for one session. The generation tells a stale handle from the current one.
struct Slot {
    generation: u32,
    session: Option<Arc<BridgeSession>>,
}

static SLOTS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());

/// Opens a session in a free slot. `None` when there is no slot, or the session cannot be opened.
pub(crate) fn insert(open: impl FnOnce() -> io::Result<BridgeSession>) -> Option<jlong> {
    let mut slots = lock();
    let index = match slots.iter().position(|slot| slot.session.is_none()) {
        Some(index) => index,
        None if slots.len() < SLOTS_MAX => {
            slots.push(Slot { generation: 0, session: None });
            slots.len() - 1
        }
        None => return None,
    };
    let session = open().ok()?;
    let slot = &mut slots[index];
    // 31 bits and never 0, so that a handle is always positive and none is handed out twice soon.
    slot.generation = ((slot.generation + 1) & 0x7fff_ffff).max(1);
    slot.session = Some(Arc::new(session));
    Some(handle_of(index, slot.generation))
}

/// The session of a handle; a clone, so that closing it on another thread cannot free what a call is using.
pub(crate) fn get(handle: jlong) -> Option<Arc<BridgeSession>> {
    let slots = lock();
    find(&slots, handle).and_then(|index| slots[index].session.clone())
}

/// Takes the session out, so that the handle is stale from here on.
pub(crate) fn remove(handle: jlong) -> Option<Arc<BridgeSession>> {
    let mut slots = lock();
    find(&slots, handle).and_then(|index| slots[index].session.take())
}

fn handle_of(index: usize, generation: u32) -> jlong {
    jlong::from(generation) << 32 | index as jlong
}

fn find(slots: &[Slot], handle: jlong) -> Option<usize> {
    let index = usize::try_from(handle & 0xffff_ffff).ok()?;
    let generation = u32::try_from(handle >> 32).ok()?;
    slots.get(index).filter(|slot| slot.generation == generation && generation != 0).map(|_| index)
}

/// A panic while the lock was held leaves at worst an empty slot.
fn lock() -> MutexGuard<'static, Vec<Slot>> {
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}
