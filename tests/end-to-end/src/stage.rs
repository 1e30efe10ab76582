//! All parts together.

use std::path::Path;
use std::time::Duration;

use crate::{Artifacts, Failure, Minestom, Platform, Player, ServerOptions, Settings, Simulator};

/// A simulator and a server whose bridge is linked to it.
#[derive(Debug)]
pub struct Stage {
    /// The server. It stands first, so that it is dropped first and its end meets a platform that is still there.
    pub server: Minestom,
    /// The platform.
    pub simulator: Simulator,
    artifacts: Artifacts,
}

impl Stage {
    /// The group that the simulator has by itself.
    pub const GROUP: &'static str = "AB00000000000000000000000000C001";

    /// The settings of the bot that the simulator knows.
    pub fn settings(base: &str) -> Settings {
        Settings {
            app_id: "102000001".to_owned(),
            secret: "simulator-secret-0001".to_owned(),
            platform: Platform::Simulator(base.to_owned()),
            groups: vec![Self::GROUP.to_owned()],
        }
    }

    /// Starts both in `dir` and waits until the bot's session is ready.
    ///
    /// # Errors
    ///
    /// When a part is missing or does not start.
    pub fn start(dir: &Path) -> Result<Self, Failure> {
        Self::start_with(dir, &ServerOptions::default())
    }

    /// The same with a server that is started in another way.
    ///
    /// # Errors
    ///
    /// As those of [`Stage::start`].
    pub fn start_with(dir: &Path, options: &ServerOptions) -> Result<Self, Failure> {
        let artifacts = Artifacts::find()?;
        let simulator = Simulator::start(&artifacts, &[])?;
        Self::settings(&simulator.base).write(dir)?;
        let mut server = Minestom::start(&artifacts, dir, options)?;
        server.await_ready(Duration::from_secs(20))?;
        Ok(Self { server, simulator, artifacts })
    }

    /// Lets a player join the server.
    ///
    /// # Errors
    ///
    /// When the player does not get in.
    pub fn join(&self, name: &str) -> Result<Player, Failure> {
        Player::join(&self.artifacts, &self.server, name)
    }
}
