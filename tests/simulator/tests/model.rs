//! The pure model on simulated time: hours pass at once, and the same seed gives the same run.

use auk_simulator::model::{Action, Call, ClosedBy, ConnId, Frame, OpenPlatform, Seen, sign};
use auk_simulator::{Act, Faults, Say, Settings};
use serde_json::{Value, json};

const GROUP: &str = "AB00000000000000000000000000C001";
const CONN: ConnId = ConnId(1);
const MINUTE_MS: u64 = 60_000;

#[test]
fn op_7_comes_after_thirty_minutes_and_4009_a_second_later() {
    let mut run = Run::online(Settings::default());
    let ops = run.live_until(31 * MINUTE_MS);
    // Connected at 0: op 7 at 30 min, and the close after its grace of 1 s.
    assert_eq!(ops, [(1_800_000, "op 7".to_owned()), (1_801_000, "closed 4009".to_owned())]);
}

#[test]
fn a_client_without_heartbeats_is_cut_after_exactly_two_intervals() {
    let mut run = Run::online(Settings::default());
    let cut_at = run.model.next_deadline().unwrap();
    // The last sign of life at 0 and two intervals of 45 s.
    assert_eq!(cut_at, 90_000);
    assert_eq!(run.model.tick(cut_at - 1), []);
    assert_eq!(run.model.tick(cut_at), [Action::Cut { conn: CONN }]);
    assert!(!run.model.is_online());
    let cut = run.model.records().any(|record| matches!(&record.seen, Seen::Closed { by: ClosedBy::Cut, code: None, .. }));
    assert!(cut);
}

#[test]
fn a_reply_is_in_time_until_five_minutes_are_over() {
    for (age_ms, expected) in [(5 * MINUTE_MS - 1, 200), (5 * MINUTE_MS, 400)] {
        let mut run = Run::online(Settings::default());
        let said = run.model.say(GROUP, &Say::at("小明", "hi"), 1_000).unwrap();
        assert_eq!(run.post(&json!({"content": "pong", "msg_id": said.msg_id}), 1_000 + age_ms).0, expected);
    }
}

#[test]
fn look_ups_come_back_at_two_a_minute_after_the_burst() {
    let mut run = Run::online(Settings::default());
    let lookup = |run: &mut Run, now| run.model.address_request(Some(&run.authorization.clone()), "http://h", now).status;
    assert!((0..10).all(|_| lookup(&mut run, 0) == 200));
    assert_eq!(lookup(&mut run, 29_999), 400);
    assert_eq!(lookup(&mut run, 30_000), 200);
    assert_eq!(lookup(&mut run, 30_001), 400);
}

#[test]
fn a_detached_session_can_be_resumed_for_five_minutes() {
    let mut run = Run::online(Settings::default());
    run.model.closed(CONN, None, 1_000);
    let said = run.model.say(GROUP, &Say::at("小明", "kept"), 2_000).unwrap();
    assert_eq!(said.s, Some(2));
    // Detached at 1 s: resumable until 301 s.
    let at_end = run.resume(ConnId(2), 1, 300_999);
    assert_eq!(at_end, ["GROUP_AT_MESSAGE_CREATE", "RESUMED"]);
    run.model.closed(ConnId(2), None, 301_000);
    assert_eq!(run.resume(ConnId(3), 1, 601_000), ["op 9"]);
}

#[test]
fn the_same_seed_and_inputs_give_the_same_run_and_another_seed_another() {
    let run = |seed| {
        let settings = Settings { seed, ..Settings::default() };
        let mut run = Run::online(settings);
        run.model.set_faults(Faults { duplicate_push: true, reorder_pairs: true, ..Faults::default() }, 10);
        for step in 0..20 {
            run.model.say(GROUP, &Say::at("小明", "hi"), 1_000 * step).unwrap();
        }
        let actions = run.model.take_actions();
        (actions, run.model.tick(1_000_000))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn every_deadline_lies_ahead_once_it_was_ticked() {
    let mut run = Run::online(Settings { op7_interval_ms: Some(60_000), audit_ms: 500, ..Settings::default() });
    let faults = json!({"reorder_pairs": true, "reorder_frames": true, "audit_202": true, "flap_after_ms": 45_000});
    run.model.patch_faults(&faults, 0).unwrap();
    for step in 0..4 {
        run.model.say(GROUP, &Say::at("小明", "hi"), 10 * step).unwrap();
    }
    run.post(&json!({"content": "hello"}), 60);
    let mut ticked_at = Vec::new();
    while let Some(deadline) = run.model.next_deadline() {
        run.model.tick(deadline);
        assert!(run.model.next_deadline().is_none_or(|next| next > deadline), "stuck at {deadline}");
        ticked_at.push(deadline);
    }
    // Four messages make two pairs. The audit ends at 60 + 500 ms; its event waits 1 s for one to overtake it, its frame
    // another 1 s; the flap ends everything.
    assert_eq!(ticked_at, [560, 1_560, 2_560, 45_000]);
}

#[test]
fn the_platform_itself_says_that_a_bot_behind_a_dead_link_is_gone() {
    let mut run = Run::online(Settings::default());
    assert!(run.model.is_online());
    run.model.act(&Act::Cut, 5);
    assert!(!run.model.is_online());
    assert_eq!(run.model.state(5).sessions[0].conn, None);
}

#[test]
fn inputs_of_a_connection_that_is_gone_change_nothing() {
    let mut run = Run::online(Settings::default());
    run.model.act(&Act::Close(4000), 5);
    let before = run.model.records().count();
    assert_eq!(run.model.frame(CONN, r#"{"op":1,"d":1}"#, 6), []);
    assert_eq!(run.model.binary_frame(CONN, 6), []);
    assert_eq!(run.model.closed(CONN, Some(4000), 7), []);
    assert_eq!(run.model.records().count(), before);
}

#[test]
fn a_webhook_gets_no_event_before_it_proved_that_it_knows_the_secret() {
    let settings = Settings { webhook_url: Some("http://h/callback".to_owned()), ..Settings::default() };
    let secret = settings.secret.clone();
    let mut model = OpenPlatform::new(settings);
    let pushes = |actions: Vec<Action>| -> Vec<Value> {
        let push = |action: &Action| if let Action::Webhook(push) = action { serde_json::from_slice(&push.body).ok() } else { None };
        actions.iter().filter_map(push).collect()
    };
    let validation = pushes(model.validate_webhook(0));
    let text = |key: &str| validation[0]["d"][key].as_str().unwrap().to_owned();
    model.say(GROUP, &Say::at("小明", "too early"), 1).unwrap();
    assert_eq!(pushes(model.take_actions()), Vec::<Value>::new());
    let (token, event_ts) = (text("plain_token"), text("event_ts"));
    let answer = json!({"plain_token": token, "signature": sign(&secret, &[event_ts.as_bytes(), token.as_bytes()])});
    model.webhook_answer(1, Some(200), answer.to_string().as_bytes(), 2);
    model.say(GROUP, &Say::at("小明", "in time"), 3).unwrap();
    assert_eq!(pushes(model.take_actions())[0]["d"]["content"], " in time");
}

/// A model with one identified connection, opened at 0.
struct Run {
    model: OpenPlatform,
    authorization: String,
    session: String,
}

impl Run {
    fn online(settings: Settings) -> Self {
        let (app_id, secret) = (settings.app_id.clone(), settings.secret.clone());
        let mut model = OpenPlatform::new(settings);
        let token: Value = serde_json::from_slice(&model.token_request(&app_id, &secret, 0).body).unwrap();
        let authorization = format!("QQBot {}", token["access_token"].as_str().unwrap());
        model.open(CONN, 0);
        let identify = json!({"op": 2, "d": {"token": authorization, "intents": 1 << 25 | 1 << 27, "shard": [0, 1]}});
        let ready = frames(&model.frame(CONN, &identify.to_string(), 0));
        let session = ready[0]["d"]["session_id"].as_str().unwrap().to_owned();
        Self { model, authorization, session }
    }

    /// Beats every 45 s until `end_ms`; returns what the platform did of its own accord.
    fn live_until(&mut self, end_ms: u64) -> Vec<(u64, String)> {
        let mut seen = Vec::new();
        let mut beat_at = 45_000;
        while let Some(now) = self.model.next_deadline().map(|at| at.min(beat_at)).filter(|&now| now <= end_ms) {
            if now == beat_at {
                self.model.frame(CONN, r#"{"op":1,"d":1}"#, now);
                beat_at += 45_000;
            }
            seen.extend(self.model.tick(now).iter().map(|action| (now, describe(action))));
            assert!(self.model.next_deadline().is_none_or(|next| next > now), "stuck at {now}");
        }
        seen
    }

    fn post(&mut self, body: &Value, now: u64) -> (u16, Value) {
        let (path, body) = (format!("/v2/groups/{GROUP}/messages"), body.to_string());
        let call = Call { method: "POST", path: &path, authorization: Some(&self.authorization), base: "http://h", body: body.as_bytes() };
        let answer = self.model.call(&call, now);
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    fn resume(&mut self, conn: ConnId, seq: u64, now: u64) -> Vec<String> {
        self.model.open(conn, now);
        let resume = json!({"op": 6, "d": {"token": self.authorization, "session_id": self.session, "seq": seq}});
        let answers = frames(&self.model.frame(conn, &resume.to_string(), now));
        let name = |frame: &Value| frame["t"].as_str().map_or_else(|| format!("op {}", frame["op"]), str::to_owned);
        answers.iter().map(name).collect()
    }
}

fn frames(actions: &[Action]) -> Vec<Value> {
    let texts = actions.iter().filter_map(|action| match action {
        Action::Send { frame, .. } => frame.text(),
        Action::Close { .. } | Action::Cut { .. } | Action::Webhook(_) => None,
    });
    texts.map(|text| serde_json::from_str(text).unwrap()).collect()
}

fn describe(action: &Action) -> String {
    match action {
        Action::Send { frame: Frame::Text(text), .. } => {
            let frame: Value = serde_json::from_slice(text).unwrap();
            format!("op {}", frame["op"])
        }
        Action::Send { frame: Frame::Binary(_), .. } => "binary".to_owned(),
        Action::Close { code, .. } => format!("closed {code}"),
        Action::Cut { .. } => "cut".to_owned(),
        Action::Webhook(_) => "webhook".to_owned(),
    }
}
