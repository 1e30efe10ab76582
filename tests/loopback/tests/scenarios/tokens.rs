//! A token endpoint that does not answer: the scenario S16 of the catalogue, over real sockets.

use std::time::{Duration, Instant};

use auk_loopback::GROUP;
use auk_loopback::rig::{
    self, Conduct, Flow, Heard, Relay, Way, assert_conduct, is_ready, lead_around, pause, probe, say, side_by_side, variant,
};
use auk_runtime::{Client, GroupMessage, SendError};
use auk_simulator::model::Seen;
use auk_simulator::{Platform, Settings};
use serde_json::json;
use tokio::task::JoinHandle;

/// A token that is soon to be renewed (at half its life) and soon out of date.
const TOKEN_LIFE_S: u64 = 3;
/// 4 s instead of 6: two limits of 2 s.
const SILENT_MS: u64 = 4_000;
const SENDS: usize = 20;

/// Senders here do not fail at the 2 s of one exchange: each waits for a token for up to 10 s, whatever becomes of a single request, and
/// so all of them succeed once the endpoint answers, without being called again.
#[test]
fn s16_a_token_call_that_never_answers_is_given_up_and_everybody_behind_it_is_served() {
    side_by_side([
        variant("a: no answer", || async {
            let scene = Scene::begin().await;
            scene.relay.set_flow(Way::ToClient, Flow::Freeze);
            let sends = scene.send_without_token().await;
            pause(SILENT_MS).await;
            scene.assert_one_at_a_time();
            scene.relay.set_flow(Way::ToClient, Flow::Pass);
            scene.end(sends).await;
        }),
        variant("b: half an answer", || async {
            let scene = Scene::begin().await;
            // Status line and some of the head in the 2 s of an exchange, and never the body's end.
            scene.relay.set_flow(Way::ToClient, Flow::Drip(60));
            let sends = scene.send_without_token().await;
            pause(SILENT_MS).await;
            scene.assert_one_at_a_time();
            scene.relay.set_flow(Way::ToClient, Flow::Pass);
            scene.end(sends).await;
        }),
        variant("c: an answer after 1 s", || async {
            let scene = Scene::begin().await;
            // Silent until the token is out of date; then one request is under way and answered a second later.
            scene.relay.set_flow(Way::ToClient, Flow::Freeze);
            let sends = scene.send_without_token().await;
            scene.platform.patch_faults(&json!({ "token_hang_ms": 1_000 })).expect("known");
            scene.relay.set_flow(Way::ToClient, Flow::Pass);
            scene.end(sends).await;
        }),
    ]);
}

#[test]
fn s16_a_send_waits_for_a_token_and_never_carries_one_that_is_out_of_date() {
    side_by_side([variant("no answer", || async {
        let scene = Scene::begin().await;
        scene.relay.set_flow(Way::ToClient, Flow::Freeze);
        let _sends = scene.send_without_token().await;
        let refused = scene.platform.records().iter().filter(|r| matches!(r.seen, Seen::Api { status: 401, .. })).count();
        assert_eq!(refused, 0);
    })]);
}

struct Scene {
    platform: Platform,
    relay: Relay,
    client: Client,
    heard: Heard,
    asked: Vec<String>,
}

impl Scene {
    /// A client that is online, and whose token calls alone go through the relay.
    async fn begin() -> Self {
        let platform = rig::platform_with(|settings| settings.token_life_s = TOKEN_LIFE_S);
        let relay = Relay::to(platform.base_url());
        lead_around(&platform);
        let mut config = rig::config(platform.base_url());
        config.token_url = format!("{}/app/getAppAccessToken", relay.base_url());
        let (client, events) = Client::start(config).expect("usable");
        let heard = Heard::listen(events);
        heard.until("ready", 1, is_ready).await;
        let asked = (0..SENDS.div_ceil(Settings::default().group_replies_max as usize)).map(|n| say(&platform, &format!("q{n}"))).collect();
        Self { platform, relay, client, heard, asked }
    }

    /// Waits until the token is out of date, then sends, and gives one of the sends up after half a second.
    async fn send_without_token(&self) -> Vec<JoinHandle<Result<(), SendError>>> {
        pause(TOKEN_LIFE_S * 1_000 + 200).await;
        let sends: Vec<_> = (0..SENDS).map(|n| self.send(n)).collect();
        pause(500).await;
        sends[0].abort();
        assert_eq!(self.platform.posted().len(), 0, "nothing is sent with a token that is out of date");
        sends
    }

    fn send(&self, n: usize) -> JoinHandle<Result<(), SendError>> {
        let replies_max = Settings::default().group_replies_max as usize;
        let number = u32::try_from(n % replies_max).expect("small") + 1;
        let message = GroupMessage { msg_seq: Some(number), ..GroupMessage::reply(&self.asked[n / replies_max], format!("a{n}")) };
        let sender = self.client.sender();
        tokio::spawn(async move { sender.post_group_message(GROUP, &message).await.map(drop) })
    }

    fn assert_one_at_a_time(&self) {
        assert_eq!(self.relay.open_max(), 1, "one token request at a time");
        // The one that is given up after 2 s is followed by a new one: more than the first and its successor by now.
        assert!(self.relay.accepted() >= 3, "{} requests", self.relay.accepted());
    }

    async fn end(self, sends: Vec<JoinHandle<Result<(), SendError>>>) {
        let began = Instant::now();
        for (n, send) in sends.into_iter().enumerate() {
            let sent = send.await;
            assert!(if n == 0 { sent.is_err() } else { matches!(sent, Ok(Ok(()))) }, "{n}: {sent:?}");
        }
        assert!(began.elapsed() < Duration::from_secs(7), "{:?}", began.elapsed());
        assert_eq!(self.platform.posted().len(), SENDS - 1, "the one given up has no effect");
        assert_eq!(self.relay.open_max(), 1);
        assert_eq!(self.platform.state().connects.total, 1, "the link is left alone");
        probe(&self.platform, &self.heard).await;
        assert_conduct(&self.platform, Conduct { dead_tokens: true });
    }
}
