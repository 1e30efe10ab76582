//! Point 13: webhook pushes, signed, validated and repeated.

use std::sync::{Arc, Mutex};

use auk_simulator::model::{sign, signing_key};
use auk_simulator::{Platform, Say, Seen, Settings};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use ed25519_dalek::{Signature, Verifier};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::client::{GROUP, Rig};

const SECRET: &str = "simulator-secret-0001";

#[tokio::test]
async fn a_validated_webhook_gets_signed_events_and_again_what_it_refused() {
    let (rig, bot) = rig_with_webhook(2, |_| {}).await;
    rig.until(|platform| taken(platform) == 1).await;
    rig.platform.say(GROUP, &Say::at("小明", "over http")).unwrap();
    // The validation, two refusals, and the third push that is taken.
    rig.until(|_| bot.pushes.lock().unwrap().len() == 4).await;
    rig.until(|platform| taken(platform) == 2).await;
    let pushes = bot.pushes.lock().unwrap().clone();
    assert!(pushes.iter().all(|push| push.signature_is_good));
    let event = &pushes[3].body;
    assert_eq!((&event["op"], &event["d"]["content"]), (&json!(0), &json!(" over http")));
    assert_eq!(pushes[1].body, pushes[3].body);
}

#[tokio::test]
async fn a_webhook_that_cannot_sign_gets_no_events() {
    let (rig, bot) = rig_with_webhook(0, |settings| settings.secret = "another".to_owned()).await;
    rig.until(|_| bot.pushes.lock().unwrap().len() == 3).await;
    rig.platform.say(GROUP, &Say::at("小明", "hello")).unwrap();
    rig.until(|platform| platform.records().iter().filter(|record| matches!(record.seen, Seen::Webhook { .. })).count() == 3).await;
    assert_eq!(taken(&rig.platform), 0);
    assert!(bot.pushes.lock().unwrap().iter().all(|push| push.body["op"] == 13 && !push.signature_is_good));
}

#[tokio::test]
async fn a_webhook_can_take_the_events_away_from_the_websocket() {
    let (rig, _bot) = rig_with_webhook(0, |settings| settings.webhook_replaces_websocket = true).await;
    let (mut link, _) = rig.ready().await;
    rig.until(|platform| taken(platform) == 1).await;
    rig.platform.say(GROUP, &Say::at("小明", "over http")).unwrap();
    rig.until(|platform| taken(platform) == 2).await;
    link.expect_silence().await;
}

/// A bot that verifies, answers validations, and refuses the first pushes of events.
#[derive(Clone)]
struct Bot {
    pushes: Arc<Mutex<Vec<Received>>>,
    refusals: Arc<Mutex<u32>>,
}

#[derive(Clone)]
struct Received {
    body: Value,
    signature_is_good: bool,
}

async fn rig_with_webhook(refusals: u32, change: impl FnOnce(&mut Settings)) -> (Rig, Bot) {
    let bot = Bot { pushes: Arc::default(), refusals: Arc::new(Mutex::new(refusals)) };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/callback", listener.local_addr().unwrap());
    let router = Router::new().route("/callback", post(receive)).with_state(bot.clone());
    tokio::spawn(async { axum::serve(listener, router).await });
    let rig = Rig::with(|settings| {
        settings.webhook_url = Some(url);
        settings.webhook_retry_ms = 20;
        change(settings);
    });
    (rig, bot)
}

async fn receive(State(bot): State<Bot>, headers: HeaderMap, body: Bytes) -> String {
    let push = Received { body: serde_json::from_slice(&body).unwrap(), signature_is_good: signature_is_good(&headers, &body) };
    bot.pushes.lock().unwrap().push(push.clone());
    if push.body["op"] == 13 {
        let text = |key: &str| push.body["d"][key].as_str().unwrap().to_owned();
        let (token, event_ts) = (text("plain_token"), text("event_ts"));
        let signature = sign(SECRET, &[event_ts.as_bytes(), token.as_bytes()]);
        return json!({"plain_token": token, "signature": signature}).to_string();
    }
    let mut refusals = bot.refusals.lock().unwrap();
    let refuse = u32::from(*refusals > 0);
    *refusals -= refuse;
    json!({"op": 12, "d": refuse}).to_string()
}

fn signature_is_good(headers: &HeaderMap, body: &[u8]) -> bool {
    let text = |name: &str| headers[name].to_str().unwrap();
    assert_eq!((text("user-agent"), text("x-bot-appid")), ("QQBot-Callback", "102000001"));
    let hex = text("x-signature-ed25519");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    let signature = Signature::from_slice(&bytes).unwrap();
    let signed = [text("x-signature-timestamp").as_bytes(), body].concat();
    signing_key(SECRET).verifying_key().verify(&signed, &signature).is_ok()
}

fn taken(platform: &Platform) -> usize {
    let records = platform.records();
    records.iter().filter(|record| matches!(record.seen, Seen::Webhook { taken: true, .. })).count()
}
