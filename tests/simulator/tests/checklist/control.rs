//! The control API, the page and its event stream.

use std::time::Duration;

use auk_simulator::Say;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{GROUP, Rig};

#[tokio::test]
async fn members_speak_over_the_control_api() {
    let rig = Rig::new();
    let (mut link, _) = rig.ready().await;
    let body = json!({"member": "小明", "text": "hi", "at": true, "attachments": [{"content_type": "image/png", "url": "x"}]});
    let said = rig.call(Method::POST, &format!("/_sim/groups/{GROUP}/say"), None, Some(&body)).await;
    assert_eq!((said.status, &said.body["s"]), (200, &json!(2)));
    let event = link.receive().await;
    assert_eq!(event["d"]["id"], said.body["msg_id"]);
    assert_eq!(event["d"]["attachments"][0]["url"], "x");
    rig.call(Method::PATCH, &format!("/_sim/groups/{GROUP}"), None, Some(&json!({"full_mode": false}))).await;
    let unseen = rig.call(Method::POST, &format!("/_sim/groups/{GROUP}/say"), None, Some(&json!({"member": "a", "text": "b"}))).await;
    assert_eq!((&unseen.body["visible"], unseen.body["note"].is_string()), (&json!(false), true));
}

#[tokio::test]
async fn raw_frames_are_sent_unread_with_the_next_number() {
    let rig = Rig::new();
    let (mut link, session) = rig.ready().await;
    let frame = r#"{"op":0,"s":{{s}},"t":"GROUP_AT_MESSAGE_CREATE","d":{"id":"R1","content":"\ud83d \u0000 end"}}"#;
    assert_eq!(push(&rig, "", frame.as_bytes()).await, json!({"s": 2}));
    assert_eq!(link.text().await, frame.replace("{{s}}", "2"));
    // Text that is not UTF-8, which no client has to survive but every client may meet.
    assert_eq!(push(&rig, "?binary=true", b"\xff\xfe\x00").await, json!({"s": null}));
    assert_eq!(link.message().await, Some(Message::binary(b"\xff\xfe\x00".to_vec())));
    assert_eq!(push(&rig, "", b"\xff").await, json!({"s": null}));
    assert_eq!(link.message().await, None, "the client's library refuses it");
    link.drop_link();
    rig.until_offline().await;
    let mut link = rig.greeted().await;
    rig.resume(&mut link, &session, 1).await;
    assert_eq!(link.text().await, frame.replace("{{s}}", "2"));
}

#[tokio::test]
async fn bad_input_gets_a_json_error_and_changes_nothing() {
    let rig = Rig::new();
    let say = format!("/_sim/groups/{GROUP}/say");
    let cases = [
        (Method::POST, "/_sim/groups/nowhere/say", json!({"member": "a", "text": "b"}), 404),
        (Method::POST, &say, json!({"member": "a"}), 400),
        (Method::POST, &say, json!({"member": "", "text": "b"}), 400),
        (Method::POST, &say, json!({"member": "a", "text": "b", "colour": 1}), 400),
        (Method::POST, "/_sim/push", json!({}), 409),
        (Method::PATCH, "/_sim/faults", json!({"nonsense": true}), 400),
        (Method::PATCH, "/_sim/faults", json!({"no_ack": 3}), 400),
        (Method::POST, "/_sim/actions/nonsense", json!({}), 404),
        (Method::POST, "/_sim/actions/close?code=1006", json!({}), 400),
        (Method::POST, "/_sim/actions/op9?d=maybe", json!({}), 400),
        (Method::POST, "/_sim/status", json!([]), 400),
        (Method::POST, "/_sim/game/events", json!({"type": "dance", "text": ""}), 400),
        (Method::POST, "/_sim/game/say", json!({"text": "hi"}), 409),
        (Method::GET, "/_sim/../../etc/passwd", json!({}), 404),
        (Method::GET, "/_sim/%2e%2e/secret", json!({}), 404),
        (Method::DELETE, "/_sim/faults", json!({}), 405),
    ];
    for (method, path, body, status) in cases {
        let answer = rig.call(method, path, None, Some(&body)).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.text);
        let words = answer.body.get("error").or(answer.body.get("message"));
        assert!(words.is_some_and(Value::is_string), "{path}: {}", answer.text);
    }
    let large = json!({"text": "x".repeat(2 * 1024 * 1024)});
    assert_eq!(rig.call(Method::POST, "/_sim/game/say", None, Some(&large)).await.status, 413);
}

#[tokio::test]
async fn every_fault_switch_is_listed_with_its_value_and_line() {
    let rig = Rig::new();
    rig.call(Method::PATCH, "/_sim/faults", None, Some(&json!({"refuse_upgrade": 503}))).await;
    let list = rig.call(Method::GET, "/_sim/faults", None, None).await.body;
    assert_eq!(list["refuse_upgrade"]["value"], 503);
    assert!(list["no_ack"]["about"].as_str().unwrap().contains("acknowledged"));
    rig.call(Method::POST, "/_sim/actions/heal", None, None).await;
    let list = rig.call(Method::GET, "/_sim/faults", None, None).await.body;
    assert_eq!(list["refuse_upgrade"]["value"], json!(null));
}

#[tokio::test]
async fn the_event_stream_begins_with_a_snapshot_and_goes_on_with_what_happens() {
    let rig = Rig::new();
    rig.call(Method::POST, "/_sim/status", None, Some(&json!({"gateway": {"state": "ready"}}))).await;
    rig.platform.say(GROUP, &Say::at("小明", "before")).unwrap();
    let mut events = Lines::open(&rig, "/_sim/events").await;
    let snapshot = events.event().await;
    assert_eq!((&snapshot["type"], &snapshot["history"][0]["text"]), (&json!("snapshot"), &json!("before")));
    assert_eq!(snapshot["status"]["gateway"]["state"], "ready");
    rig.platform.say(GROUP, &Say::at("小明", "after")).unwrap();
    assert_eq!(events.event_of("said").await["text"], "after");
    rig.call(Method::POST, "/_sim/game/events", None, Some(&json!({"type": "chat", "player": "Steve", "text": "hi"}))).await;
    let line = events.event_of("game").await;
    assert_eq!((&line["player"], &line["kind"]), (&json!("Steve"), &json!("chat")));
    // The counters come by themselves.
    assert_eq!(events.event_of("state").await["state"]["online"], false);
}

#[tokio::test]
async fn what_the_page_says_in_the_game_reaches_an_attached_client() {
    let rig = Rig::new();
    let mut events = Lines::open(&rig, "/_sim/events").await;
    let mut commands = Lines::open(&rig, "/_sim/game/commands").await;
    assert_eq!(events.event_of("game_attached").await["count"], 1);
    let said = rig.call(Method::POST, "/_sim/game/say", None, Some(&json!({"text": "/me waves"}))).await;
    assert_eq!(said.status, 200);
    assert_eq!(commands.line().await, r#"{"text":"/me waves","type":"say"}"#);
    drop(commands);
    assert_eq!(events.event_of("game_attached").await["count"], 0);
}

#[tokio::test]
async fn the_page_is_one_file_that_loads_nothing_from_elsewhere() {
    let rig = Rig::new();
    let page = rig.call(Method::GET, "/", None, None).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("<meta charset=\"utf-8\">") && page.text.contains("/_sim/events"));
    for forbidden in ["innerHTML", "<script src", "<link rel=\"stylesheet\"", "https://", "@import"] {
        assert!(!page.text.contains(forbidden), "{forbidden}");
    }
}

async fn push(rig: &Rig, query: &str, bytes: &[u8]) -> Value {
    let url = format!("{}/_sim/push{query}", rig.platform.base_url());
    let answer = rig.http.post(url).body(bytes.to_vec()).send().await.unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// A response that stays open, line by line.
struct Lines {
    bytes: std::pin::Pin<Box<dyn futures_util::Stream<Item = String> + Send>>,
    rest: String,
}

impl Lines {
    async fn open(rig: &Rig, path: &str) -> Self {
        let response = rig.http.get(format!("{}{path}", rig.platform.base_url())).send().await.unwrap();
        let bytes = futures_util::stream::unfold(response, async |mut response| {
            let chunk = response.chunk().await.ok().flatten()?;
            Some((String::from_utf8(chunk.to_vec()).unwrap(), response))
        });
        Self { bytes: bytes.boxed(), rest: String::new() }
    }

    async fn line(&mut self) -> String {
        loop {
            if let Some((line, rest)) = self.rest.split_once('\n') {
                let line = line.to_owned();
                self.rest = rest.to_owned();
                return line;
            }
            let more = timeout(Duration::from_secs(5), self.bytes.next()).await.expect("a line in time");
            self.rest.push_str(&more.expect("an open stream"));
        }
    }

    async fn event(&mut self) -> Value {
        loop {
            if let Some(data) = self.line().await.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    async fn event_of(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event().await;
            if event["type"] == kind {
                return event;
            }
        }
    }
}
