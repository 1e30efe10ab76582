//! A whole bot: answers each message that mentions it in a group, once, and ends on SIGTERM.
//!
//! Reads `QQ_TOKEN_URL`, `QQ_API_BASE`, `QQ_APPID` and `QQ_SECRET`; everything else is as shipped.

use std::collections::HashSet;
use std::env::var;

use auk_gateway::{Credentials, Event, GatewayConfig};
use auk_runtime::{Client, ClientConfig, GroupMessage};
use serde::Deserialize;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Deserialize)]
struct Message {
    id: String,
    group_openid: String,
    content: String,
}

/// Ids remembered against repeats; the platform may push a message several times.
const SEEN_MAX: usize = 10_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let credentials = Credentials::new(var("QQ_APPID")?, var("QQ_SECRET")?)?;
    let mut config = ClientConfig::new(GatewayConfig { intents: 1 << 25, ..GatewayConfig::new(credentials) });
    config.token_url = var("QQ_TOKEN_URL")?;
    config.api_base = var("QQ_API_BASE")?;
    let (mut client, mut events) = Client::start(config)?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (sender, mut seen) = (client.sender(), HashSet::new());
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = terminate.recv() => break,
        };
        let Some(event) = event else { break };
        let Event::Dispatch(dispatch) = event else { continue };
        let Some(data) = dispatch.data.filter(|_| dispatch.name == "GROUP_AT_MESSAGE_CREATE") else { continue };
        let Ok(message) = serde_json::from_str::<Message>(data.get()) else { continue };
        if seen.len() >= SEEN_MAX {
            seen.clear();
        }
        if !seen.insert(message.id.clone()) {
            continue;
        }
        // One at a time, so that answers keep the order of the questions; what comes meanwhile waits.
        let reply = GroupMessage::reply(message.id, message.content.trim());
        let sent = tokio::select! {
            sent = sender.post_group_message(&message.group_openid, &reply) => sent,
            _ = terminate.recv() => break,
        };
        if let Err(error) = sent {
            eprintln!("reply not delivered: {error}");
        }
    }
    client.stop().await;
    Ok(())
}
