//! The relay between the page and whatever plays the game: what players see, and what the page's player says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::{Mutex, broadcast};

use super::hub::Hub;

/// Commands that a slow game client may be behind.
const COMMANDS_BEHIND_MAX: usize = 256;

/// The relay.
pub(super) struct Game {
    commands: broadcast::Sender<String>,
    attached: AtomicUsize,
    /// The bot's own status as it last came in.
    pub(super) status: Mutex<Option<Value>>,
}

/// A game client that listens for commands; it counts as attached until it is dropped.
pub(super) struct Listener {
    pub(super) commands: broadcast::Receiver<String>,
    game: Arc<Game>,
    hub: Arc<Hub>,
}

impl Game {
    pub(super) fn new() -> Arc<Self> {
        let (commands, _) = broadcast::channel(COMMANDS_BEHIND_MAX);
        Arc::new(Self { commands, attached: AtomicUsize::new(0), status: Mutex::new(None) })
    }

    /// Whether a game client listens.
    pub(super) fn attached(&self) -> usize {
        self.attached.load(Ordering::SeqCst)
    }

    pub(super) fn listen(self: &Arc<Self>, hub: &Arc<Hub>) -> Listener {
        let listener = Listener { commands: self.commands.subscribe(), game: Arc::clone(self), hub: Arc::clone(hub) };
        let attached = self.attached.fetch_add(1, Ordering::SeqCst) + 1;
        hub.tell(&json!({"type": "game_attached", "count": attached}));
        listener
    }

    /// Hands a line to the game clients. Says whether there was one.
    pub(super) fn say(&self, text: &str) -> bool {
        let command = json!({"type": "say", "text": text}).to_string();
        self.commands.send(command).is_ok()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let attached = self.game.attached.fetch_sub(1, Ordering::SeqCst) - 1;
        self.hub.tell(&json!({"type": "game_attached", "count": attached}));
    }
}
